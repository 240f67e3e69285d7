/**
 * @module
 * JSON from outside, files and request bodies alike: one value without surprises, or a refusal that
 * says where. JSON.parse builds the value, json-scan.ts refuses what it passes over.
 */

import { LabError } from '../../errors.ts';
import { scanJson } from './json-scan.ts';

/** The value of a JSON text. Throws LabError `json.*` or `schema` with the place of the first fault. */
export function parseJsonText(text: string): unknown {
  const fault = scanJson(text);
  if (fault !== null) {
    const { code, detail, pointer } = fault;
    const place = pointer === '' ? '' : `${pointer.slice(0, PLACE_LENGTH_MAX)}: `;
    throw new LabError(code, place + detail, pointer === '' ? [] : [{ pointer, detail }]);
  }
  try {
    return JSON.parse(text);
  } catch {
    // Never seen (a property test compares the two): the engine's parser has the last word.
    throw new LabError('json.syntax', 'this is not JSON');
  }
}

const PLACE_LENGTH_MAX = 100;
