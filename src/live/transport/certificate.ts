/**
 * @module
 * The certificates of live nodes. A mined key is a bare scalar, which TLS libraries cannot load. Each process
 * therefore makes an ephemeral key of its own and a certificate for it (X.509, RFC 5280), in which its identity signs the
 * fingerprint of that key with election and epoch. The signature is in a URI of the certificate, as in SPIFFE. A
 * signature by another identity, for another key or for another election is refused.
 */

import type { KeyObject, X509Certificate } from 'node:crypto';
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import type { Keys } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';

/** What a certificate is for. */
export interface CertifiedElection {
  readonly election: string;
  /** The epoch of the network's challenge. */
  readonly epoch: number;
}

export interface Certified {
  /** Both PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A new key, certified by the identity with this rank. */
export function certify(
  election: CertifiedElection,
  rank: Rank,
  signText: Keys['sign'],
): Certified {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const uri = `usurp://${rank}/${signText(fingerprintText(election, spki))}`;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pemOf(certificateOf(spki, uri, privateKey)),
  };
}

/** The rank whose identity has certified the key of this certificate; null if none of the members has. */
export function certifierOf(
  certificate: X509Certificate,
  election: CertifiedElection,
  {
    memberOf,
    verify,
  }: { readonly memberOf: (rank: string) => Rank | null; readonly verify: Keys['verify'] },
): Rank | null {
  const [, name = '', signature = ''] =
    /^URI:usurp:\/\/([0-9a-f]{1,128})\/([0-9a-f]{128})$/.exec(certificate.subjectAltName ?? '') ??
    [];
  const rank = memberOf(name);
  if (rank === null) return null;
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return verify(rank, fingerprintText(election, spki), signature) ? rank : null;
}

function fingerprintText({ election, epoch }: CertifiedElection, spki: Uint8Array): string {
  return JSON.stringify(['usurp/tls/v1', election, epoch, hash('sha256', spki)]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

/** A self-signed certificate without an end (RFC 5280 section 4.1.2.5). */
function certificateOf(spki: Uint8Array, uri: string, key: KeyObject): Buffer {
  const signedWith = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('usurp live node')))),
  );
  const validity = der(
    SEQUENCE,
    der(0x17, Buffer.from('700101000000Z')),
    der(0x18, Buffer.from('99991231235959Z')),
  );
  const names = der(SEQUENCE, der(0x86, Buffer.from(uri)));
  const extension = der(SEQUENCE, SUBJECT_ALT_NAME, der(0x04, names));
  const signed = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    // Positive, whatever is drawn.
    der(0x02, Buffer.from([1]), randomBytes(8)),
    signedWith,
    name,
    validity,
    name,
    spki,
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = sign('sha256', signed, key);
  return der(SEQUENCE, signed, signedWith, der(0x03, Buffer.from([0]), signature));
}

/** An element in DER (X.690 section 8.1). */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const hex = length.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content]);
}

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
