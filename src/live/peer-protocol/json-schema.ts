/**
 * @module
 * This folder describes the peer protocol for nodes in other languages, and tests such nodes. This file makes its JSON
 * Schemas from the schemas with which nodes read, and from the members that protocols state of their messages.
 */

import { z } from 'zod';
import type { Forms } from '../../election/authentication/message-forms.ts';
import { ACCOMPANYING } from '../../election/authentication/message-forms.ts';
import type { Kind, MessageFacts } from '../../election/definition/message-definition.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import { isDetectorType } from '../../election/detectors/detector.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { admissionRefusalSchema, admissionSchema } from '../entrance.ts';
import { presentationSchema } from '../membership.ts';
import { liveRecordFormSchema } from '../node-record.ts';
import { statusSchema } from '../node-status.ts';
import { envelopeSchema, refusalSchema } from '../peer-api.ts';
import { peersSchema } from '../peers.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** What is exchanged, by name. */
const EXCHANGED = z.object({
  peersFile: peersSchema.meta({ description: 'The file that all nodes of an election share.' }),
  envelope: envelopeSchema.meta({ description: 'POST /messages: a message of a peer.' }),
  refusal: refusalSchema.meta({ description: 'Why a message was refused.' }),
  presentation: presentationSchema.meta({ description: 'POST /peers: a node that joins.' }),
  admission: admissionSchema.meta({ description: 'The answer to a node that joins.' }),
  admissionRefusal: admissionRefusalSchema.meta({ description: 'Why it may not join.' }),
  status: statusSchema.meta({ description: 'GET /status.' }),
  record: liveRecordFormSchema.meta({ description: 'The data of an event of GET /events.' }),
});

/** The document with all schemas of the peer protocol in its `$defs`. */
export function peerProtocolJsonSchema(): Schema {
  const { $defs = {}, properties = {} } = z.toJSONSchema(EXCHANGED, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema: { _zod }, jsonSchema }) {
      if (_zod.def.type === 'default') jsonSchema.default = _zod.def.defaultValue;
    },
  });
  // The message of an envelope is one of the messages below, with its seal.
  const messages = PROTOCOL_NAMES.flatMap((name) => {
    const protocol: Protocol = PROTOCOLS[name];
    return protocol.store === null ? [[`messages-of-${name}`, messagesSchema(protocol)]] : [];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'usurp peer protocol',
    description: 'What live nodes send each other. docs/peer-protocol.md says what it means.',
    $defs: {
      ...$defs,
      ...properties,
      rank: { type: 'string', pattern: '^[0-9a-f]+$', description: 'Rank key in hex.' },
      seal: SEAL,
      'seal-of-detectors': DETECTOR_SEAL,
      'messages-of-every-protocol': anyOf(ACCOMPANYING, null),
      ...Object.fromEntries(messages),
    },
  };
}

const RANK: Schema = { $ref: '#/$defs/rank' };
const RANKS: Schema = { type: 'array', items: RANK };
const COUNT: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const COUNTED: Schema = { type: 'array', prefixItems: [RANK, COUNT], items: false, minItems: 2 };
const CONFIGURATION: Schema = {
  type: 'object',
  description:
    'The members that count and those that were removed. Absent while they are the founders.',
  properties: { term: COUNT, version: COUNT, members: RANKS, removed: RANKS },
  required: ['term', 'version', 'members', 'removed'],
};
const SIGNATURE: Schema = { type: 'string', pattern: '^[0-9a-f]{128}$' };
const SEAL: Schema = {
  type: 'object',
  description: 'The proofs of a message. There is none at L0.',
  properties: {
    by: { ...RANK, description: 'The sender.' },
    number: { ...COUNT, description: 'L3: number of the message among those to this recipient.' },
    signature: { ...SIGNATURE, description: 'Of the sender, for this recipient.' },
    candidacies: {
      type: 'object',
      propertyNames: RANK,
      additionalProperties: SIGNATURE,
      description:
        'By rank, signatures of the nodes that the message names as candidate or leader.',
    },
  },
  required: ['signature'],
};
const { required: _, ...DETECTOR_SEAL_FORM } = SEAL;
/** Over TLS the signature can be absent. */
const DETECTOR_SEAL: Schema = {
  ...DETECTOR_SEAL_FORM,
  description: 'The proofs of a message of a detector, which needs no signature over TLS.',
};

function messagesSchema({ messages, carries }: Protocol): Schema {
  return anyOf(membersOf(messages), carries === null ? null : membersOf(carries.messages));
}

function membersOf(messages: Readonly<Record<string, MessageFacts>>): Forms {
  return Object.fromEntries(Object.entries(messages).map(([type, { members }]) => [type, members]));
}

function anyOf(forms: Forms, carried: Forms | null): Schema {
  return {
    anyOf: Object.entries(forms).map(([type, form]) => messageSchema(type, form, carried, true)),
  };
}

/** A member that is not listed is allowed: the signature covers it. */
function messageSchema(
  type: string,
  form: Readonly<Record<string, Kind>>,
  carried: Forms | null,
  isSealed: boolean,
): Schema {
  const members = Object.entries(form).map(([name, kind]) => [
    name,
    kind === 'carried' ? messageSchema(type, carried?.[type] ?? {}, null, false) : schemaOf(kind),
  ]);
  const sealName = isDetectorType(type) ? 'seal-of-detectors' : 'seal';
  const seal = isSealed ? { seal: { $ref: `#/$defs/${sealName}` } } : {};
  return {
    type: 'object',
    properties: { type: { const: type }, ...Object.fromEntries(members), ...seal },
    required: ['type', ...Object.keys(form).filter((name) => form[name] !== 'configuration')],
  };
}

function schemaOf(kind: Exclude<Kind, 'carried'>): Schema {
  switch (kind) {
    case 'rank':
      return RANK;
    case 'ranks':
      return RANKS;
    case 'integer':
    case 'epoch':
      return COUNT;
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'token':
      return COUNTED;
    case 'table':
      return { type: 'array', items: COUNTED };
    case 'configuration':
      return CONFIGURATION;
    default:
      return { enum: [...kind] };
  }
}
