/**
 * @module
 * Describes the signed bytes of messages for authors of programs that play nodes, with an example to check
 * an implementation against.
 */

/** The key of the first test of RFC 8032, section 7.1, signs for rank 5 of a Bully election at L3. */
export const SIGNED_EXAMPLE = {
  secretKey: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  protocol: 'bully-oneshot',
  election: 'e_kq3vj5m2xw7ntb4d',
  to: 2,
  message: {
    type: 'COORDINATOR',
    leader: 5,
    seal: {
      by: 5,
      number: 1,
      signature:
        'b286c79f35fa3c638edd2f24087402057ed0a823a00ca2c1d4f26b3adfc0dfaf' +
        'ed2ee4564d0086d88c3360f67f85d78b7c3d88389ed0739a315852f8c2ebb10a',
      candidacies: {
        '5':
          '5497c2007b3ae3f5fc3f975bdcf2a1c18345ecd3db4e66c5daa03c1bcaa53b62' +
          '8598977dc8b2487419044393e9f2cb18754288378a0546fff415bf79d7bf390e',
      },
    },
  },
  text: '["usurp/election/v1","bully-oneshot",5,2,"e_kq3vj5m2xw7ntb4d",1,{"leader":5,"type":"COORDINATOR"}]',
  candidacyText: '["usurp/candidacy/v1","bully-oneshot",5,"e_kq3vj5m2xw7ntb4d"]',
  bytes:
    'usurp/message/v1\\0' +
    '"[\\"usurp/election/v1\\",\\"bully-oneshot\\",5,2,\\"e_kq3vj5m2xw7ntb4d\\",1,{\\"leader\\":5,\\"type\\":\\"COORDINATOR\\"}]"',
} as const;

export const SIGNED_BYTES = [
  'At L2 and L3 the key of the claim signs a text for each message and each recipient: at L2 the JSON array',
  '`["usurp/election/v1", protocol, by, to, message]` without spaces, at L3',
  '`["usurp/election/v1", protocol, by, to, election, number, message]`. by and to are ranks. election is',
  'the `name` in GET …/elections/{id}. In a ring it changes with every newcomer, and messages with earlier',
  'names remain in flight for a while: an answer to a message, or a message that passes it on, uses the',
  '`election` that the inbox gives with it; any other message uses the `name`. A message and its candidacies',
  'use the same one. message is signed without `seal`, with its members sorted by name at every depth. Each',
  'candidate signs once `["usurp/candidacy/v1", protocol, rank]`, at L3 with election at its end. A message',
  'that names its sender as candidate or leader has that signature under `candidacies`; those of other',
  'candidates are copied from the messages received in that election. The bytes of a text are',
  '`usurp/message/v1`, a zero byte, and the text again as a JSON string in ASCII: in quotes, with backslashes',
  'before quotes and backslashes, and all characters outside U+0020..U+007E as \\uXXXX in lower case, \\b \\t',
  '\\n \\f \\r in short form. In Python: `b"usurp/message/v1\\0" + json.dumps(text).encode()` after',
  '`text = json.dumps(array, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`.',
  `For example, ${SIGNED_EXAMPLE.text} has the bytes ${SIGNED_EXAMPLE.bytes} (\\0 is the zero byte) and, by the`,
  `secret key ${SIGNED_EXAMPLE.secretKey}, the signature ${SIGNED_EXAMPLE.message.seal.signature}; the candidacy`,
  `${SIGNED_EXAMPLE.candidacyText} has ${SIGNED_EXAMPLE.message.seal.candidacies['5']}.`,
].join(' ');
