/**
 * @module
 * The pictures of a sweep as files beside its table: one SVG each, and one page with all of them.
 */

import type { PictureInput } from '../experiment/picture-data.ts';
import { drawSweep } from '../runtime/pictures/draw-sweep.ts';
import { picturePage } from '../runtime/pictures/page.ts';
import { writeWhole } from './files.ts';

/**
 * Writes them beside `out`: of `f.csv` come `f.frontier.svg` and so on, and `f.html`. Returns their
 * paths, the page last. Throws LabError for what is there already, unless forced.
 */
export async function savePictures(
  input: PictureInput,
  { out, force }: { readonly out: string; readonly force: boolean },
): Promise<readonly string[]> {
  const pictures = drawSweep(input);
  const stem = out.replace(/\.[^./\\]+$/, '');
  const files = [
    ...pictures.map(({ name, svg }) => ({ path: `${stem}.${name}.svg`, text: svg })),
    { path: `${stem}.html`, text: picturePage(pictures, input) },
  ];
  for (const { path, text } of files) await writeWhole(path, text, { force, isPrivate: false });
  return files.map(({ path }) => path);
}
