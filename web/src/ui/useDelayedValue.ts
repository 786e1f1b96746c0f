/** A debounced value: it changes after the input has been stable for `delay` milliseconds. */
import { useEffect, useState } from "react";

export function useDelayedValue<T>(value: T, delay: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}
