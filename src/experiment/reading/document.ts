/**
 * @module
 * From the text of a threat model to a valid model, or to a refusal that says file:line:column, what
 * is wrong there and what would be right.
 */

import type { InputFault } from '../../errors.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import { DOCUMENT_CHARACTERS_MAX, FAULTS_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { checkThreatModel } from './schema-faults.ts';
import type { Place } from './yaml.ts';
import { readYaml } from './yaml.ts';

/**
 * Reads a threat model in YAML or JSON. `fileName` is what the refusals call it. Throws LabError
 * `document` whose detail has one line `file:line:column: …` per fault.
 */
export function parseThreatModel(text: string, fileName: string): ThreatModel {
  const start = { line: 1, column: 1 };
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const problem = `a threat model has at most ${DOCUMENT_CHARACTERS_MAX} characters, got ${text.length}`;
    throw refusal(fileName, [{ path: [], place: start, text: problem }]);
  }
  const reading = readYaml(text);
  if (reading.outcome === 'refused') {
    throw refusal(
      fileName,
      reading.faults.map((fault) => ({ ...fault, path: [] })),
    );
  }
  if (reading.data === null) {
    const problem = 'this document is empty; it must be a map of members that begins with id';
    throw refusal(fileName, [{ path: [], place: start, text: problem }]);
  }
  const checked = checkThreatModel(reading.data);
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.map(({ path, at, isMissing, text: problem }) => {
    return { path, place: reading.placeOf(path, at), isMissing, text: problem };
  });
  throw refusal(fileName, faults);
}

interface PlacedFault {
  readonly path: readonly string[];
  readonly place: Place;
  readonly isMissing?: boolean;
  readonly text: string;
}

/** What is wrong by place, then what is missing: a misspelt member is both, and better read first. */
function refusal(fileName: string, faults: readonly PlacedFault[]): LabError {
  const ordered = faults.toSorted(
    (left, right) =>
      Number(left.isMissing ?? false) - Number(right.isMissing ?? false) ||
      left.place.line - right.place.line ||
      left.place.column - right.place.column,
  );
  const listed: readonly InputFault[] = ordered.slice(0, FAULTS_MAX).map((fault) => ({
    pointer: jsonPointer(fault.path),
    detail: `${fileName}:${fault.place.line}:${fault.place.column}: ${fault.text}`,
  }));
  const more = ordered.length > FAULTS_MAX ? [`and ${ordered.length - FAULTS_MAX} more`] : [];
  const detail = [...listed.map((fault) => fault.detail), ...more].join('\n');
  return new LabError('document', detail, listed);
}
