/**
 * @module
 * A page with all pictures of a sweep. The file works without a network, forbids itself to load
 * anything, and follows the reader's choice of light or dark.
 */

import { element, escapeXml } from '../../simulation/report/space-time/svg-elements.ts';
import type { PictureInput } from './data.ts';
import type { Picture } from './draw-sweep.ts';
import { visible } from './lettering.ts';
import { PAGE_STYLE } from './palette.ts';

type PageText = Pick<PictureInput, 'title' | 'sentence' | 'dataFile' | 'replay'>;

const STYLE = `:root{color-scheme:light dark}body{margin:1.5rem auto;padding:0 1rem;max-width:800px;font:15px/1.5 sans-serif}svg{display:block;max-width:100%;height:auto}figure{margin:0 0 2rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}${PAGE_STYLE}`;

/** The page as HTML. */
export function picturePage(pictures: readonly Picture[], page: PageText): string {
  const policy = {
    'http-equiv': 'Content-Security-Policy',
    content: "default-src 'none'; style-src 'unsafe-inline'",
  };
  const viewport = { name: 'viewport', content: 'width=device-width, initial-scale=1' };
  const heading = escapeXml(visible(page.title));
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    element('meta', { charset: 'utf-8' }),
    element('meta', policy),
    element('meta', viewport),
    element('title', {}, heading),
    element('style', {}, STYLE),
    '</head>',
    '<body>',
    element('h1', {}, heading),
    element('p', {}, escapeXml(visible(page.sentence))),
    ...pictures.map(({ svg }) => element('figure', {}, '\n', svg)),
    element('h2', {}, 'Source'),
    element('p', {}, 'Data: ', element('code', {}, escapeXml(visible(page.dataFile)))),
    element('p', {}, 'Replay:'),
    element('pre', {}, element('code', {}, escapeXml(visible(page.replay)))),
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}
