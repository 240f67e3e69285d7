/**
 * @module
 * The threat model that a command names.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { parseThreatModel } from '../../experiment/reading/document.ts';
import { findInCatalogue } from '../../runtime/files/catalogue.ts';
import { readText } from './files.ts';
import type { Terminal } from './terminal.ts';

/** Reads stdin for `-`, a file if `id` contains a dot or a slash, and otherwise the catalogue. */
export async function readModel(id: string, terminal: Terminal): Promise<ThreatModel> {
  const isFile = id === '-' || /[./\\]/.test(id);
  if (!isFile) return findInCatalogue(id);
  return parseThreatModel(await readText(id, terminal), id === '-' ? 'stdin' : id);
}
