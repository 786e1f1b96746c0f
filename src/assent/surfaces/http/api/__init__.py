"""What every route uses: how it is declared, who may call it, what it reads and how it replies."""
