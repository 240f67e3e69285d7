/**
 * @module
 * The colours of the canvas: those of the page at the moment, and the series of the types of messages.
 */

import { SERIES } from '../layout/marks.ts';

export interface Palette {
  readonly paper: string;
  readonly panel: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly control: string;
  readonly accent: string;
  readonly alarm: string;
  /** Behind the row of the position. */
  readonly chosen: string;
  readonly series: readonly string[];
}

const IS_DARK = matchMedia('(prefers-color-scheme: dark)');

/** The colours as they are now. */
export function paletteNow(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: of('paper'),
    panel: of('panel'),
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    control: of('control'),
    accent: of('accent'),
    alarm: of('false'),
    chosen: of('warning-paper'),
    series: IS_DARK.matches ? SERIES.dark : SERIES.light,
  };
}

/** Calls when the reader changes between light and dark. Returns how to stop that. */
export function onPaletteChange(call: () => void): () => void {
  IS_DARK.addEventListener('change', call);
  return () => IS_DARK.removeEventListener('change', call);
}
