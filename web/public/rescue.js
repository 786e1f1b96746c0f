// Where the app itself cannot load, the page is loaded again once, and then says so instead of staying white.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    try {
      if (!sessionStorage.getItem("assent.rescued")) {
        sessionStorage.setItem("assent.rescued", "1");
        location.reload();
        return;
      }
    } catch {
      // A browser that keeps nothing cannot tell whether it reloaded before.
    }
    const words = document.createElement("p");
    words.className = "state";
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = "Load it again";
    again.addEventListener("click", () => location.reload());
    words.append("Assent could not be loaded. Agents still wait; nothing was let through. ", again);
    document.getElementById("app")?.replaceChildren(words);
  },
  true,
);
