/**
 * @module
 * Which files a sweep may replace. A sweep owns a file if its journal or its manifest has the file's
 * digest. Other files, and files that were changed, are replaced only with `--force`. All files are
 * checked before a row is computed.
 */

import { lstatSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { LabError } from '../../errors.ts';
import type { SweepFiles } from './files.ts';
import { fileDigest, isFile, readManifest } from './files.ts';
import type { FileDigest, SweepJournal } from './journal.ts';
import { isDrawn, picturesBeside } from './picture-files.ts';

/** Throws LabError `arguments` if a path is a directory, a device or a broken link. */
export function refuseIrregular(files: SweepFiles, pictures: boolean): void {
  for (const path of [files.journal, ...outputsOf(files, pictures)]) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || isFile(path)) continue;
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const kind = isFolder ? 'a directory' : 'no regular file';
    throw new LabError('arguments', `${path} is ${kind}; choose another --out`);
  }
}

export interface Owner {
  readonly identity: string;
  readonly journal: SweepJournal;
}

/** Throws LabError `file.exists` for a table, a manifest or a picture that the sweep does not own. */
export function refuseForeign(files: SweepFiles, owner: Owner, pictures: boolean): void {
  const isOwn = ownership(files, owner);
  const isManifest = readManifest(files.manifest)?.identity === owner.identity;
  for (const path of outputsOf(files, false)) {
    const isKnown = path === files.manifest && isManifest;
    if (isFile(path) && !isKnown && !isOwn(path)) throw foreign(path, '');
  }
  if (!pictures) return;
  for (const path of picturesBeside(files)) {
    const isOwnPicture = isDrawn(path, owner.identity) || isOwn(path);
    if (!isOwnPicture) throw foreign(path, ', --no-pictures draws none');
  }
}

/** A function that says whether the sweep owns a file with its present content. */
export function ownership(
  files: SweepFiles,
  { identity, journal }: Owner,
): (path: string) => boolean {
  const manifest = readManifest(files.manifest);
  const listed = manifest?.identity === identity ? manifest.files : [];
  return (path) => {
    const { name, sha256 } = digestOf(path);
    const isListed = listed.some((file) => file.name === name && file.sha256 === sha256);
    return isListed || journal.owns({ name, sha256 });
  };
}

/** The files that `--force` allows the sweep to replace. */
export function replaceable(files: SweepFiles, pictures: boolean): readonly FileDigest[] {
  const drawn = picturesBeside(files).filter((path) => isFile(path) && (pictures || isDrawn(path)));
  return [...outputsOf(files, false).filter(isFile), ...drawn].map(digestOf);
}

function outputsOf(files: SweepFiles, pictures: boolean): readonly string[] {
  const { runs, cells, manifest } = files;
  return [runs, cells, manifest, ...(pictures ? picturesBeside(files) : [])];
}

function digestOf(path: string): FileDigest {
  return { name: basename(path), sha256: fileDigest(path) };
}

function foreign(path: string, remedy: string): LabError {
  return new LabError(
    'file.exists',
    `${path} does not belong to this sweep, or was changed since, and was left unchanged; ` +
      `--force replaces it${remedy}`,
  );
}
