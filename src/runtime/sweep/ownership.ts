/**
 * @module
 * Whose the files are that a sweep would replace. Its own are those whose digest its journal or its
 * manifest has; any other, or one that was changed since, is somebody's and stays unless forced. All are
 * judged before a row is computed.
 */

import { lstatSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { LabError } from '../../errors.ts';
import type { SweepFiles } from './files.ts';
import { fileDigest, isFile, readManifest } from './files.ts';
import type { SweepJournal } from './journal.ts';
import type { FileDigest } from './journal-lines.ts';
import { isDrawn, picturesBeside } from './picture-files.ts';

/** Throws LabError `arguments` if a folder, a device or a link to nowhere is in the place of a file. */
export function refuseIrregular(files: SweepFiles, pictures: boolean): void {
  for (const path of targetsOf(files, pictures)) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || isFile(path)) continue;
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const kind = isFolder ? 'a directory' : 'no regular file';
    throw new LabError('arguments', `${path} is ${kind}; choose another --out`);
  }
}

export interface Owner {
  readonly identity: string;
  readonly journal: SweepJournal | null;
}

/** Throws LabError `file.exists` for a table, a manifest or a picture that is not this sweep's. */
export function refuseForeign(files: SweepFiles, owner: Owner, pictures: boolean): void {
  const isOwn = ownership(files, owner);
  for (const path of [files.runs, files.cells]) {
    if (isFile(path) && !isOwn(path)) throw foreign(path, '');
  }
  if (isFile(files.manifest) && readManifest(files.manifest)?.identity !== owner.identity) {
    if (!isOwn(files.manifest)) throw foreign(files.manifest, '');
  }
  if (!pictures) return;
  for (const path of picturesBeside(files)) {
    const isOwnPicture = isDrawn(path, owner.identity) || isOwn(path);
    if (!isOwnPicture) throw foreign(path, ', --no-pictures draws none');
  }
}

/** Tells whether a file is the sweep's, as it stands. */
export function ownership(
  files: SweepFiles,
  { identity, journal }: Owner,
): (path: string) => boolean {
  const manifest = readManifest(files.manifest);
  const listed = manifest?.identity === identity ? manifest.files : [];
  return (path) => {
    const file = digestOf(path);
    const isListed = listed.some(({ name, sha256 }) => {
      return name === file.name && sha256 === file.sha256;
    });
    return isListed || journal?.owns(file) === true;
  };
}

/** The files that `--force` gives up, for the journal of the sweep that replaces them. */
export function givenUp(files: SweepFiles, pictures: boolean): readonly FileDigest[] {
  const tables = targetsOf(files, false).filter((path) => path !== files.journal);
  const drawn = picturesBeside(files).filter((path) => isFile(path) && (pictures || isDrawn(path)));
  return [...tables.filter(isFile), ...drawn].map(digestOf);
}

function targetsOf(files: SweepFiles, pictures: boolean): readonly string[] {
  const { runs, cells, manifest, journal } = files;
  return [runs, cells, manifest, journal, ...(pictures ? picturesBeside(files) : [])];
}

function digestOf(path: string): FileDigest {
  return { name: basename(path), sha256: fileDigest(path) };
}

function foreign(path: string, remedy: string): LabError {
  return new LabError(
    'file.exists',
    `${path} is not of this sweep, or was changed since, and was left unchanged; ` +
      `--force replaces it${remedy}`,
  );
}
