// Runs before the first paint, so that a dark page never flashes white.
try {
  const theme = localStorage.getItem("assent.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A private window keeps nothing: the system's own choice holds.
}
