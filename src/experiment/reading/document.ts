/**
 * @module
 * This folder reads threat models and settings. This file turns the text of a threat model into a valid model,
 * or into a refusal with file:line:column, what is wrong there and what would be right.
 */

import type { z } from 'zod';

import type { InputFault } from '../../errors.ts';
import { jsonPointer, LabError, pathOfPointer } from '../../errors.ts';
import { parseBySchema } from '../../schema.ts';
import { DOCUMENT_CHARACTERS_MAX, FAULTS_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { checkThreatModel } from './schema-faults.ts';
import type { Position } from './yaml.ts';
import { readYaml } from './yaml.ts';

/**
 * Reads a threat model in YAML or JSON. Refusals contain `fileName`. Throws LabError
 * `document` whose detail has one line `file:line:column: …` for each fault.
 */
export function parseThreatModel(text: string, fileName: string): ThreatModel {
  return parseDocument(text, fileName).model;
}

/** The same with the plain data that the text states. */
export function parseDocument(
  text: string,
  fileName: string,
): { readonly model: ThreatModel; readonly data: unknown } {
  const start = { line: 1, column: 1 };
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const problem = `a threat model has at most ${DOCUMENT_CHARACTERS_MAX} characters, got ${text.length}`;
    throw refusalAt(fileName, [{ path: [], position: start, text: problem }]);
  }
  const reading = readYaml(text);
  if (reading.outcome === 'refused') {
    throw refusalAt(fileName, reading.faults);
  }
  if (reading.data === null) {
    const problem = 'this document is empty; it must be a map of members that begins with id';
    throw refusalAt(fileName, [{ path: [], position: start, text: problem }]);
  }
  const checked = checkThreatModel(reading.data);
  if (checked.outcome === 'valid') return { model: checked.model, data: reading.data };
  const faults = checked.faults.map(({ path, at, isMissing, text: problem }) => {
    return { path, position: reading.positionOf(path, at), isMissing, text: problem };
  });
  throw refusalAt(fileName, faults);
}

/**
 * Reads a document of another kind, such as an exercise, in YAML or JSON. Throws LabError `document` as `parseThreatModel`.
 */
export function readDocument<Schema extends z.ZodType>(
  text: string,
  { fileName, noun, schema }: { fileName: string; noun: string; schema: Schema },
): z.output<Schema> {
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const problem = `this document may have at most ${DOCUMENT_CHARACTERS_MAX} characters, got ${text.length}`;
    throw refusalAt(fileName, [{ path: [], position: { line: 1, column: 1 }, text: problem }]);
  }
  const reading = readYaml(text);
  if (reading.outcome === 'refused') throw refusalAt(fileName, reading.faults);
  try {
    return parseBySchema(schema, reading.data, noun);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const faults = error.faults.map(({ pointer, detail }) => {
      const path = pathOfPointer(pointer);
      const at = detail === UNKNOWN ? 'key' : 'value';
      const name = path.length === 0 ? 'the document' : path.join('.');
      return { path, position: reading.positionOf(path, at), text: `${name} ${detail}` };
    });
    throw refusalAt(fileName, faults);
  }
}

/** What src/schema.ts says of an unknown member. */
const UNKNOWN = 'is not a known member';

interface LocatedFault {
  readonly path: readonly string[];
  readonly position: Position;
  readonly isMissing?: boolean;
  readonly text: string;
}

/** Wrong members by position, then missing ones: a misspelt member is both and is reported first as wrong. */
export function refusalAt(fileName: string, faults: readonly LocatedFault[]): LabError {
  const ordered = faults.toSorted(
    (left, right) =>
      Number(left.isMissing ?? false) - Number(right.isMissing ?? false) ||
      left.position.line - right.position.line ||
      left.position.column - right.position.column,
  );
  const listed: readonly InputFault[] = ordered.slice(0, FAULTS_MAX).map((fault) => ({
    pointer: jsonPointer(fault.path),
    detail: `${fileName}:${fault.position.line}:${fault.position.column}: ${fault.text}`,
  }));
  const more = ordered.length > FAULTS_MAX ? [`and ${ordered.length - FAULTS_MAX} more`] : [];
  const detail = [...listed.map((fault) => fault.detail), ...more].join('\n');
  return new LabError('document', detail, listed);
}
