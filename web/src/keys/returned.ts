/** When the window last came back, until something was pressed in it. */

let returnedAt: number | null = null;

export const windowReturnedAt = () => returnedAt;

const forget = () => {
  returnedAt = null;
};

/** Watch the window for as long as the app lives. */
export function watchWindow(window: Window): () => void {
  const came = () => {
    returnedAt = performance.now();
  };
  // In the bubble phase and on the window itself: whoever was clicked has been asked by then.
  window.addEventListener("focus", came);
  window.addEventListener("click", forget);
  return () => {
    window.removeEventListener("focus", came);
    window.removeEventListener("click", forget);
    forget();
  };
}
