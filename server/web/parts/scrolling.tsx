/**
 * @module
 * A region that scrolls sideways where its content is wider than the page. It has a name, and the keyboard reaches it.
 */

import type { ComponentChildren } from 'preact';

interface ScrollingProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Scrolling({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolling" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
