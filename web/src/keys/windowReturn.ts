/** When the window last got the focus, until the next click. */

let returnedAt: number | null = null;

export const windowReturnedAt = () => returnedAt;

const clearWindowReturn = () => {
  returnedAt = null;
};

/** Watch the focus of the window. */
export function watchWindowReturn(window: Window): () => void {
  const noteReturn = () => {
    returnedAt = performance.now();
  };
  // Bubble phase on the window: the handlers of the clicked element have already run.
  window.addEventListener("focus", noteReturn);
  window.addEventListener("click", clearWindowReturn);
  return () => {
    window.removeEventListener("focus", noteReturn);
    window.removeEventListener("click", clearWindowReturn);
    clearWindowReturn();
  };
}
