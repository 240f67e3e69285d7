/**
 * @module
 * What exactly is signed in an election, in words for those who write programs that play nodes, with
 * an example to check one's own bytes against.
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
  'What is signed at L2 and L3, by the key of the claim. Of each message a text, for each recipient apart:',
  'the JSON array `["usurp/election/v1", protocol, by, to, message]` without spaces, at L3',
  '`["usurp/election/v1", protocol, by, to, election, number, message]`: by and to are ranks, election is',
  'the `name` that GET …/elections/{id} tells. Of a ring it is another one with every newcomer, and words of',
  'those before go on for a while: what answers a message or hands it on is for the `election` that the inbox',
  'tells with it, anything else for the `name`; message and candidacies are for the same one.',
  'What is signed of the message is all but `seal`, its members sorted by name at every',
  'depth. Of each candidate once `["usurp/candidacy/v1", protocol, rank]`, at L3 with election at its',
  'end: a message that names its own sender as candidate or leader carries that signature under',
  '`candidacies`, and of others whom it names those that came with what was heard in that election. The bytes',
  'of a text are `usurp/message/v1`, a zero byte, and the text once more as a JSON string in ASCII: in quotes, with backslashes before quotes and backslashes, and everything outside',
  'U+0020..U+007E as \\uXXXX in lower case, \\b \\t \\n \\f \\r in short form. In Python:',
  '`b"usurp/message/v1\\0" + json.dumps(text).encode()` after',
  '`text = json.dumps(array, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`.',
  `For example, ${SIGNED_EXAMPLE.text} has the bytes ${SIGNED_EXAMPLE.bytes} (\\0 is the zero byte) and, by the`,
  `secret key ${SIGNED_EXAMPLE.secretKey}, the signature ${SIGNED_EXAMPLE.message.seal.signature}; the candidacy`,
  `${SIGNED_EXAMPLE.candidacyText} has ${SIGNED_EXAMPLE.message.seal.candidacies['5']}.`,
].join(' ');
