/**
 * @module
 * The threat model that a command names.
 */

import { parseThreatModel } from '../experiment/document.ts';
import type { ThreatModel } from '../experiment/threat-model.ts';
import { findInCatalogue } from '../runtime/catalogue.ts';
import { readText } from './files.ts';
import type { Terminal } from './terminal.ts';

/** A file, or stdin for `-`, if it looks like one; else a document of the catalogue. */
export async function readModel(id: string, terminal: Terminal): Promise<ThreatModel> {
  const isFile = id === '-' || /[./\\]/.test(id);
  if (!isFile) return findInCatalogue(id);
  return parseThreatModel(await readText(id, terminal), id === '-' ? 'stdin' : id);
}
