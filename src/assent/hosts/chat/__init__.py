"""The chat host: a conversation with a model whose every act passes the gate."""
