"""A LangGraph agent that waits for approval before it sends a mail, with checkpoints in SQLite."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from bench.harness import WrongAnswerError
from bench.mailing import FINAL_REPLY, USER_PROMPT, check_final_reply, new_call_id, sample_history, send_mail
from bench.stores import MAIL_ARGS


class LangGraphAgent:
    """An agent that runs each approval in a new thread (conversation) with its whole history."""

    def __init__(self, path: Path, history: int) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._history = _make_history(history)
        graph = StateGraph(MessagesState)
        graph.add_node("model", _fake_model)
        graph.add_node("tools", _send_mail_if_approved)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", _next_node)
        graph.add_edge("tools", "model")
        self._graph = graph.compile(SqliteSaver(self._connection))

    async def approve(self) -> None:
        await asyncio.to_thread(self._approve_blocking)

    def close(self) -> None:
        self._connection.close()

    def _approve_blocking(self) -> None:
        thread: Any = {"configurable": {"thread_id": new_call_id()}}
        paused = self._graph.invoke({"messages": [*self._history, HumanMessage(USER_PROMPT)]}, thread)
        if "__interrupt__" not in paused:
            raise WrongAnswerError("a tool that needs an approval ran without one")
        check_final_reply(self._graph.invoke(Command(resume="approved"), thread)["messages"][-1].content)


def _fake_model(state: MessagesState) -> dict[str, list[AnyMessage]]:
    if isinstance(state["messages"][-1], ToolMessage):
        return {"messages": [AIMessage(FINAL_REPLY)]}
    return {
        "messages": [
            AIMessage("", tool_calls=[{"name": "send_mail", "args": MAIL_ARGS, "id": new_call_id()}])
        ]
    }


def _send_mail_if_approved(state: MessagesState) -> dict[str, list[AnyMessage]]:
    (call,) = state["messages"][-1].tool_calls
    said = send_mail(**call["args"]) if interrupt({"call": call}) == "approved" else "denied"
    return {"messages": [ToolMessage(said, tool_call_id=call["id"])]}


def _next_node(state: MessagesState) -> str:
    return "tools" if state["messages"][-1].tool_calls else END


def _make_history(count: int) -> list[AnyMessage]:
    return [
        AIMessage(text) if index % 2 else HumanMessage(text)
        for index, text in enumerate(sample_history(count))
    ]
