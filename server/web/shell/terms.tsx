/**
 * @module
 * Explains the terms of a page. Where the page first uses a term it is underlined, and its sentence is shown at the pointer or
 * touch. Below the page is the list of these terms, which the keyboard and screen readers reach. No view is changed for it.
 */

import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Term } from '../documents/section.ts';
import type { Appearance } from './glossary.ts';
import { appearancesIn, loadGlossary } from './glossary.ts';

/** Time without a change of the page after which its terms are looked for. */
const PAUSE_MS = 400;
/** Between a term and its sentence, in pixels. */
const GAP = 6;

export function Terms({ view }: { readonly view: string }) {
  const terms = useSignal<readonly Term[]>([]);
  const isOpen = useSignal(false);
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const main = document.getElementById('main');
    if (main === null || tip.current === null) return undefined;
    return explain(main, tip.current, (found) => {
      const names = (some: readonly Term[]) => some.map(({ name }) => name).join();
      if (names(found) !== names(terms.value)) terms.value = found;
    });
  }, [view]);
  const toggled = (event: TargetedEvent<HTMLDetailsElement>) => {
    isOpen.value = event.currentTarget.open;
  };
  return (
    <aside class="terms" aria-label="Terms">
      <details onToggle={toggled}>
        <summary>Terms on this page</summary>
        {isOpen.value ? (
          <dl class="values">
            {terms.value.map(({ name, meanings }) => (
              <div key={name}>
                <dt>
                  <dfn>{name}</dfn>
                </dt>
                {meanings.map((meaning) => (
                  <dd key={meaning}>{meaning}</dd>
                ))}
              </div>
            ))}
          </dl>
        ) : null}
      </details>
      <div class="term-sentence" role="tooltip" popover="manual" ref={tip} />
    </aside>
  );
}

/** Underlines the terms of an element while it changes, and shows their sentences. Returns what ends this. */
function explain(
  main: HTMLElement,
  tip: HTMLElement,
  onTerms: (terms: readonly Term[]) => void,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  let appearances: readonly Appearance[] = [];
  let timer = 0;
  const look = async () => {
    const glossary = await loadGlossary();
    if (signal.aborted) return;
    appearances = appearancesIn(main, glossary);
    CSS.highlights?.set('term', new Highlight(...appearances.map(({ range }) => range)));
    onTerms(appearances.map(({ term }) => term));
  };
  const soon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(), PAUSE_MS);
  };
  const observer = new MutationObserver(soon);
  observer.observe(main, { childList: true, characterData: true, subtree: true });
  soon();
  const showAt = ({ clientX, clientY }: MouseEvent) => {
    for (const { term, range } of appearances) {
      const at = [...range.getClientRects()].find(
        ({ left, right, top, bottom }) =>
          left <= clientX && clientX <= right && top <= clientY && clientY <= bottom,
      );
      if (at !== undefined) return showTip(tip, term, at);
    }
    tip.hidePopover();
  };
  main.addEventListener('pointermove', showAt, { signal });
  main.addEventListener('click', showAt, { signal });
  addEventListener('scroll', () => tip.hidePopover(), { signal, passive: true });
  addEventListener('keydown', ({ key }) => key === 'Escape' && tip.hidePopover(), { signal });
  return () => {
    end.abort();
    clearTimeout(timer);
    observer.disconnect();
    CSS.highlights?.delete('term');
  };
}

/** Below the term, within the window. */
function showTip(tip: HTMLElement, { name, meanings }: Term, at: DOMRect): void {
  tip.textContent = `${name}: ${meanings.join(' Or: ')}`;
  tip.showPopover();
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(at.left, document.documentElement.clientWidth - width - GAP));
  const isBelow = at.bottom + GAP + height < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${isBelow ? at.bottom + GAP : at.top - GAP - height}px`;
}
