/**
 * @module
 * The pictures of a sweep as files beside its tables: one SVG for each and one page with all. Each file ends
 * with a remark that names the sweep, so that the sweep recognises its own pictures.
 */

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PictureInput } from '../../experiment/charts/data.ts';
import { PICTURE_KINDS } from '../../experiment/charts/data.ts';
import { drawSweep, picturePage } from '../../experiment/charts/draw-sweep.ts';
import { FileSink } from '../files/file-sink.ts';
import type { SweepFiles } from './files.ts';
import { fileDigest, isFile } from './files.ts';

/** A complete temporary file. `publish` gives it its name. */
export interface PictureFile {
  readonly path: string;
  readonly sha256: string;
  publish(): void;
  discard(): void;
}

/** Draws the pictures to temporary files. Throws LabError `file.unwritable`. */
export function drawAside(
  files: SweepFiles,
  input: PictureInput,
  identity: string,
): readonly PictureFile[] {
  const pictures = drawSweep(input);
  const texts = [
    ...pictures.map(({ name, svg }) => ({ path: `${files.stem}.${name}.svg`, text: svg })),
    { path: files.page, text: picturePage(pictures, input) },
  ];
  const drawn: PictureFile[] = [];
  try {
    for (const { path, text } of texts) {
      const sink = new FileSink(path);
      sink.writeText(text);
      sink.writeText(remark(identity));
      const sha256 = sink.finish();
      const publish = () => {
        // An equal file is left alone.
        if (existsSync(path) && fileDigest(path) === sha256) sink.discard();
        else sink.publish();
      };
      drawn.push({ path, sha256, publish, discard: () => sink.discard() });
    }
    return drawn;
  } catch (error) {
    for (const picture of drawn) picture.discard();
    throw error;
  }
}

/** Removes this sweep's pictures of earlier tables. */
export function removeStale(
  files: SweepFiles,
  drawn: readonly PictureFile[],
  isOwn: (path: string) => boolean,
): void {
  const kept = new Set(drawn.map(({ path }) => path));
  for (const path of picturesBeside(files)) {
    if (!kept.has(path) && isDrawn(path) && isOwn(path)) rmSync(path, { force: true });
  }
}

/** Whether a file is a picture that a sweep drew, this one if its identity is given. */
export function isDrawn(path: string, identity?: string): boolean {
  return isFile(path) && endsWith(path, identity === undefined ? REMARK : remark(identity));
}

const REMARK = /<!-- usurp-sweep\/1 [0-9a-f]{64} -->\n$/;
const REMARK_BYTES = remark('0'.repeat(64)).length;

function remark(identity: string): string {
  return `<!-- usurp-sweep/1 ${identity} -->\n`;
}

/** All files with names of the sweep's pictures. */
export function picturesBeside({ stem, page }: SweepFiles): readonly string[] {
  const folder = dirname(page);
  const before = `${basename(stem)}.`;
  const names = readdirSync(folder)
    .sort()
    .filter((name) => {
      if (name === basename(page)) return true;
      return name.startsWith(before) && PICTURE_NAME.test(name.slice(before.length));
    });
  return names.map((name) => join(folder, name));
}

const PICTURE_NAME = new RegExp(`^(${PICTURE_KINDS.join('|')})(-[0-9]+)?\\.svg$`);

function endsWith(path: string, end: string | RegExp): boolean {
  const file = openSync(path, 'r');
  try {
    const from = Math.max(0, fstatSync(file).size - REMARK_BYTES);
    const block = Buffer.alloc(REMARK_BYTES);
    const text = block.subarray(0, readSync(file, block, 0, REMARK_BYTES, from)).toString('latin1');
    return typeof end === 'string' ? text === end : end.test(text);
  } finally {
    closeSync(file);
  }
}
