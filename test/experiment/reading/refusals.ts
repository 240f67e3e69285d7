/**
 * @module
 * What a test needs of a refusal: the LabError itself, or its text. Anything else that is thrown
 * passes through and fails the test.
 */

import { LabError } from '../../../src/errors.ts';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';

/** The LabError that `action` throws. */
export function refusedBy(action: () => unknown): LabError {
  try {
    action();
  } catch (error) {
    if (error instanceof LabError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

/** The LabError for a document called f.yaml. */
export function refusedDocument(text: string): LabError {
  return refusedBy(() => parseThreatModel(text, 'f.yaml'));
}

export function refusalOf(text: string): string {
  return refusedDocument(text).message;
}

/** `model` and its id, or the refusal. */
export function answerOf(text: string): string {
  try {
    return `model ${parseThreatModel(text, 'f.yaml').id}`;
  } catch (error) {
    if (error instanceof LabError) return error.message;
    throw error;
  }
}
