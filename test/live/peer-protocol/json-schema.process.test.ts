/**
 * @module
 * The published JSON Schemas of the peer protocol are those of this version, and accept what nodes send.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { peerProtocolJsonSchema } from '../../../src/live/peer-protocol/json-schema.ts';
import { ROOT } from '../../cli/shell.ts';

const published = JSON.parse(readFileSync(join(ROOT, 'docs/peer-protocol.schema.json'), 'utf8'));

describe('the published schemas', () => {
  it('are those that the nodes use (npm run contract)', () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(peerProtocolJsonSchema())));
  });

  it('have every message of every protocol that runs live', () => {
    const { $defs } = published;
    for (const name of PROTOCOL_NAMES) {
      const { messages, store } = PROTOCOLS[name];
      const listed = $defs[`messages-of-${name}`]?.anyOf.map(
        ({ properties }: { readonly properties: { readonly type: { readonly const: string } } }) =>
          properties.type.const,
      );
      expect({ name, listed }).toEqual({
        name,
        listed: store === null ? Object.keys(messages) : undefined,
      });
    }
  });
});
