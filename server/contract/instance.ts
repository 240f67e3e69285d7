/**
 * @module
 * The `instance` of a problem document: the id of a request or of a job as the URN of a UUID (RFC 9562).
 */

import { createHash } from 'node:crypto';

/**
 * An id as the URN of a UUID. The id of a job becomes a UUID of version 8 (RFC 9562) with the first bits of its
 * digest.
 */
export function instanceOf(id: string): string {
  if (UUID.test(id)) return `urn:uuid:${id.toLowerCase()}`;
  const digest = createHash('sha256').update(id).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(digest.charAt(16), 16) & 3);
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
  return `urn:uuid:${[...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-')}`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
