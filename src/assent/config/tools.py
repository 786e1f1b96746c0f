"""The well-known tools, which rules can name without a declaration."""

from assent.engine.base.tool import Dialect, Effect, PathKind, Tool

_SHELL, _POWERSHELL, _PATH, _TEXT = Dialect.SHELL, Dialect.POWERSHELL, Dialect.PATH, Dialect.TEXT
_READ, _EDIT, _WRITE = Effect.READ, Effect.EDIT, Effect.WRITE
_EXECUTE, _EXTERNAL = Effect.EXECUTE, Effect.EXTERNAL

# Columns: name, effect, dialect, template, description.
_CLAUDE_TOOLS = (
    ("Bash", _EXECUTE, _SHELL, "{command}", "Run a shell command."),
    ("PowerShell", _EXECUTE, _POWERSHELL, "{command}", "Run a PowerShell command."),
    ("BashOutput", _READ, _TEXT, None, "Read the output of a background command."),
    ("KillShell", _EXECUTE, _TEXT, None, "End a background command."),
    ("Read", _READ, _PATH, "{file_path}", "Read a file."),
    ("NotebookRead", _READ, _PATH, "{notebook_path}", "Read a notebook."),
    ("LS", _READ, _PATH, "{path=.}", "List a directory."),
    ("Glob", _READ, _PATH, "{path=.}", "Find files by name."),
    ("Grep", _READ, _PATH, "{path=.}", "Search in files."),
    ("Edit", _EDIT, _PATH, "{file_path}", "Change part of a file."),
    ("MultiEdit", _EDIT, _PATH, "{file_path}", "Change several parts of a file."),
    ("Write", _EDIT, _PATH, "{file_path}", "Write a file."),
    ("NotebookEdit", _EDIT, _PATH, "{notebook_path}", "Change a cell of a notebook."),
    ("WebFetch", _EXTERNAL, _TEXT, "domain:{url:host}", "Fetch a page of the web."),
    ("WebSearch", _EXTERNAL, _TEXT, "{query}", "Search the web."),
    ("Agent", _READ, _TEXT, "{subagent_type}", "Start a sub-agent; each call it makes is decided by itself."),
    ("Task", _READ, _TEXT, "{subagent_type}", "Start a sub-agent; each call it makes is decided by itself."),
    # Not reads: the client runs the shell lines of the text itself, and no hook sees them.
    ("Skill", _EXECUTE, _TEXT, "{skill}", "Load a skill, and run the shell lines of its text."),
    ("SlashCommand", _EXECUTE, _TEXT, "{command}", "Load a command's text, and run its shell lines."),
    ("TodoWrite", _READ, _TEXT, None, "Keep the list of things to do."),
    ("ExitPlanMode", _READ, _TEXT, None, "Show a plan to the person."),
    ("AskUserQuestion", _READ, _TEXT, None, "Ask the person a question."),
    ("EnterPlanMode", _READ, _TEXT, None, "Switch to plan mode, which only reads."),
    (
        "ToolSearch",
        _READ,
        _TEXT,
        "{query}",
        "Load the definitions of more tools; each call is decided by itself.",
    ),
    ("ListAgents", _READ, _TEXT, None, "List the agents that a message can be sent to."),
    ("CronList", _READ, _TEXT, None, "List the scheduled prompts."),
    ("ReportFindings", _READ, _TEXT, None, "Show the findings of a review to the person."),
    ("EnterWorktree", _WRITE, _TEXT, None, "Create or enter a Git worktree."),
    ("ExitWorktree", _WRITE, _TEXT, "{action}", "Leave a Git worktree, and remove it on request."),
    ("CronDelete", _WRITE, _TEXT, "{id}", "Cancel a scheduled prompt."),
    ("TaskStop", _EXECUTE, _TEXT, None, "End a background task."),
    ("Monitor", _EXECUTE, _SHELL, "{command}", "Run a shell command in the background and report its lines."),
    ("Workflow", _EXECUTE, _TEXT, None, "Run a script that starts sub-agents."),
    ("CronCreate", _EXTERNAL, _TEXT, "{cron}", "Schedule a prompt for later."),
    ("ScheduleWakeup", _EXTERNAL, _TEXT, None, "Schedule the next turn of a loop."),
    ("SendMessage", _EXTERNAL, _TEXT, "{to}", "Send a message to another agent or session."),
    # The server itself asks this at the start of a session; a call of an agent registers nothing.
    ("workspace.register", _EXTERNAL, _TEXT, "{root}", "Register a project as a workspace of an agent."),
)
_WORKBENCH_TOOLS = (
    ("files.list", _READ, _PATH, "{path=.}", "List a directory."),
    ("files.read", _READ, _PATH, "{path}", "Read a file."),
    ("files.create", _EDIT, _PATH, "{path}", "Create a file or a directory."),
    ("files.mkdir", _EDIT, _PATH, "{path}", "Create a directory."),
    ("files.write", _EDIT, _PATH, "{path}", "Write a file."),
    ("files.rename", _WRITE, _PATH, "{path} {to}", "Rename or move a file."),
    ("files.delete", _WRITE, _PATH, "{path}", "Delete a file or a directory."),
    ("editor.proposeEdit", _EDIT, _PATH, "{path}", "Show a change for the person to accept or decline."),
    ("editor.applyEdit", _EDIT, _PATH, "{path}", "Change a file in the editor."),
    ("editor.save", _EDIT, _PATH, "{path}", "Save a file in the editor."),
    ("editor.showLine", _READ, _PATH, "{path}", "Show a line of a file that is open in the editor."),
    ("terminal.list", _READ, _TEXT, None, "List the open terminals."),
    ("terminal.read", _READ, _TEXT, None, "Read a terminal's output."),
    ("terminal.exec", _EXECUTE, _SHELL, "{command}", "Run a shell command in a terminal."),
    ("observability.clear", _WRITE, _TEXT, None, "Clear the list of calls."),
    ("clubhouse.status", _READ, _TEXT, None, "Read the state of the connection."),
    ("clubhouse.listRooms", _READ, _TEXT, None, "List the rooms."),
    ("clubhouse.disconnect", _EXTERNAL, _TEXT, None, "End the connection."),
    ("stub.getValue", _READ, _TEXT, None, "Read the value of the example module."),
    ("stub.setValue", _EXTERNAL, _TEXT, "{value}", "Set the value of the example module."),
    ("list_open_panes", _READ, _TEXT, None, "List the open panes."),
    ("get_pane_context", _READ, _TEXT, None, "Read what a pane shows."),
    ("open_pane", _READ, _TEXT, None, "Open a pane."),
    ("close_pane", _READ, _TEXT, None, "Close a pane."),
    ("focus_pane", _READ, _TEXT, None, "Bring a pane to the front."),
    ("split_pane", _READ, _TEXT, None, "Split a pane."),
    ("switch_workspace", _READ, _TEXT, None, "Switch to another workspace."),
)
_CHAT_TOOLS = (
    ("read_file", _READ, _PATH, "{path}", "Read a file."),
    ("list_files", _READ, _PATH, "{path=.}", "List a directory."),
    ("search_files", _READ, _PATH, "{path=.}", "Search in files."),
    ("write_file", _EDIT, _PATH, "{path}", "Write a file."),
    ("apply_change", _EDIT, _PATH, "{path}", "Change fields of a record, or passages of a text."),
    ("run_command", _EXECUTE, _SHELL, "{command}", "Run a shell command."),
    ("generate_image", _WRITE, _TEXT, None, "Make an image."),
    ("text_to_speech", _WRITE, _TEXT, None, "Make speech from text."),
    ("list_nodes", _READ, _TEXT, None, "List the kinds of nodes."),
    ("get_node", _READ, _TEXT, "{node_type}", "Describe one kind of node."),
    ("run_node", _EXECUTE, _TEXT, "{node_type}", "Run one node with inputs."),
    ("list_workflows", _READ, _TEXT, None, "List the workflows."),
    ("get_workflow", _READ, _TEXT, "{workflow_id}", "Describe a workflow."),
    ("run_workflow", _EXECUTE, _TEXT, "{workflow_id}", "Run a workflow with parameters."),
    ("list_collections", _READ, _TEXT, None, "List the collections of knowledge."),
    ("search_collections", _READ, _TEXT, "{query}", "Find a collection."),
    ("query_collection", _READ, _TEXT, "{collection}", "Ask a collection."),
    ("web_search", _READ, _TEXT, "{query}", "Search the web."),
    ("web_fetch", _READ, _TEXT, "domain:{url:host}", "Fetch a page of the web."),
    ("browser", _EXTERNAL, _TEXT, "{url}", "Use a web browser."),
    ("todo_write", _READ, _TEXT, None, "Keep the list of things to do."),
    ("run_subtask", _READ, _TEXT, None, "Start a subtask; each call it makes is decided by itself."),
)
_FLEET_TOOLS = (
    *(
        (f"mcp__arch__{name}", _EXTERNAL, _TEXT, None, description)
        for name, description in (
            ("send_message", "Send a message to another agent."),
            ("get_messages", "Read the messages that came in."),
            ("update_status", "Say what the agent is doing."),
            ("save_progress", "Keep what was reached so far."),
            ("report_completion", "Say that the work is done."),
            ("spawn_agent", "Start an agent of the pool."),
            ("teardown_agent", "End an agent."),
            ("list_agents", "List the agents."),
            ("escalate_to_user", "Ask the person a question."),
            ("request_merge", "Ask for a merge of the work."),
            ("get_project_context", "Read what the project is about."),
            ("close_project", "End the project."),
            ("update_brief", "Change the brief."),
            ("gh_create_issue", "Create an issue."),
            ("gh_list_issues", "List the issues."),
            ("gh_close_issue", "Close an issue."),
            ("gh_update_issue", "Change an issue."),
            ("gh_add_comment", "Comment on an issue."),
            ("gh_create_milestone", "Create a milestone."),
            ("gh_list_milestones", "List the milestones."),
        )
    ),
    # What the fleet itself asks a person; no agent can call these.
    ("fleet.question", _EXTERNAL, _TEXT, "{question}", "Answer a question of an agent in words."),
    ("fleet.merge", _EXTERNAL, _TEXT, "{branch} into {target}", "Merge the work of an agent."),
    ("fleet.skip_permissions", _EXTERNAL, _TEXT, "{agent}", "Start an agent that asks nothing."),
)

TOOLS_BY_BELT: dict[str, dict[str, Tool]] = {
    belt: {
        name: Tool(
            name=name,
            effect=effect,
            dialect=dialect,
            template=template,
            paths=PathKind.ANCHORED if belt == "workbench" else PathKind.OS,
            description=description,
            group=name.partition(".")[0] if "." in name else belt,
        )
        for name, effect, dialect, template, description in rows
    }
    for belt, rows in (
        ("claude", _CLAUDE_TOOLS),
        ("workbench", _WORKBENCH_TOOLS),
        ("chat", _CHAT_TOOLS),
        ("fleet", _FLEET_TOOLS),
    )
}
"""The tools of each belt; a belt is a named group of tools that a preset can include."""

KNOWN_TOOLS: dict[str, Tool] = {name: tool for belt in TOOLS_BY_BELT.values() for name, tool in belt.items()}
"""All well-known tools by name; no two belts have a tool of the same name."""
