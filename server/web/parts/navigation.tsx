/**
 * @module
 * Links to pages of the lab of which one is shown.
 */

import { useEffect, useRef } from 'preact/hooks';

interface NavigationProps {
  /** What the links lead to. */
  readonly label: string;
  readonly links: readonly {
    readonly title: string;
    readonly href: string;
    readonly isCurrent: boolean;
  }[];
}

export function Navigation({ label, links }: NavigationProps) {
  const nav = useRef<HTMLElement>(null);
  const current = links.find(({ isCurrent }) => isCurrent)?.href;
  useEffect(() => {
    if (nav.current !== null) showCurrent(nav.current);
  }, [current, links.length]);
  return (
    <nav aria-label={label} ref={nav}>
      <ul>
        {links.map(({ title, href, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls the navigation of a narrow window, so that the link of the current page is in its middle. */
function showCurrent(nav: HTMLElement): void {
  const link = nav.querySelector('[aria-current]');
  if (link === null) return;
  const frame = nav.getBoundingClientRect();
  const { left, width } = link.getBoundingClientRect();
  nav.scrollLeft += left + width / 2 - (frame.left + frame.width / 2);
}
