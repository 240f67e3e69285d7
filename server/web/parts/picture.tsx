/**
 * @module
 * Pictures of the chart module and of the space-time diagrams, as SVG elements. Their style sheet is adopted once,
 * because the policy of the page forbids those inside of a picture.
 */

import { useEffect, useRef } from 'preact/hooks';

import { STYLE } from '../../../src/experiment/charts/palette.ts';

const SHEET = new CSSStyleSheet();
SHEET.replaceSync(STYLE);

/** The policy also forbids to parse one. Text of pictures has no `<` that is not escaped. */
const STYLE_ELEMENT = /<style>[^<]*<\/style>/g;

interface PictureProps {
  /** A whole SVG document, in which all foreign text is escaped. */
  readonly svg: string;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
}

export function Picture({ svg, label }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { adoptedStyleSheets } = document;
    if (!adoptedStyleSheets.includes(SHEET)) {
      document.adoptedStyleSheets = [...adoptedStyleSheets, SHEET];
    }
    const bare = svg.replaceAll(STYLE_ELEMENT, '');
    const { documentElement } = new DOMParser().parseFromString(bare, 'image/svg+xml');
    for (const part of documentElement.querySelectorAll('style, script')) part.remove();
    frame.current?.replaceChildren(document.importNode(documentElement, true));
  }, [svg]);
  return <div class="picture" role="img" aria-label={label} ref={frame} />;
}
