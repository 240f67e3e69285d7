/**
 * @module
 * Writes a value on one line of YAML, quoted only if it would be read as another value. Grids have thousands of
 * values, for each of which the library's writer would take longer than all checks together.
 */

import { stringify } from 'yaml';

/** The value on one line of YAML. */
export function flowText(value: unknown): string {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return String(value);
    case 'string':
      return PLAIN_TEXT.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
      return stringify(value, FLOW).trimEnd();
  }
}

const FLOW = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const;

/** Words, and numbers with a unit. */
const PLAIN_TEXT =
  /^(?:[A-Za-z](?:[\w.%-]|:(?=\w))*(?: [A-Za-z][\w.%-]*)*|(?!0[ox])\d+(?:\.\d+)?(?:%|[A-Za-z]+))$/;
const RESERVED = /^(?:true|false|null)$/i;
