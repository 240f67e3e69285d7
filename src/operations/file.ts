/**
 * @module
 * Members of an input that are files, such as lists of node IDs.
 */

import { z } from 'zod';

import { fileNameOf } from './command-words.ts';
import type { Absence, Filled, Member, MemberFacts } from './member.ts';
import { member } from './member.ts';

/** A file with what stands for it in commands and messages. */
export interface NamedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * A file. The shell replaces the name by the content before the operation runs. A terminal reads the file. A server takes the
 * member of the request: the text, an array of lines, or a JSON document. A file that is read has at most `bytesMax` bytes.
 */
export function file<const F extends MemberFacts & Absence<string>>(
  remote: z.ZodType,
  facts: F,
  bytesMax?: number,
) {
  const entered: z.ZodType<unknown> = z.string().min(1);
  const whole: Member = member({ schema: entered, remote, entry: { as: 'file', bytesMax } }, facts);
  // The type says what the operation receives, and the schemas check what is entered.
  return whole as Member<Filled<z.ZodType<NamedFile>, F>>;
}

/** Maximum length, in characters, of a JSON document that a command contains instead of a file name. */
const SHORT_MAX = 2000;

/** The content in a request as a file. A short JSON document is its own name, so that replay commands contain it. */
export function fileOf(name: string, content: unknown): NamedFile {
  const textIn = (part: unknown) => (typeof part === 'string' ? part : JSON.stringify(part));
  const text = Array.isArray(content) ? content.map(textIn).join('\n') : textIn(content);
  const isShort = text.startsWith('{') && text.length <= SHORT_MAX;
  return { name: isShort ? text : fileNameOf(name), text };
}
