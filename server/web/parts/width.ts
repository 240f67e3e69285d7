/**
 * @module
 * The width of an element, for pictures whose letters have the same size in every window.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const WIDTH_AT_FIRST = 800;

/** The reference for the element, and its width in pixels. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const width = useSignal(WIDTH_AT_FIRST);
  useEffect(() => {
    const { current } = ref;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      width.value = Math.max(200, Math.floor(current.clientWidth));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [ref, width.value] as const;
}
