import { sha256 } from '../client.js';
import { mine } from './mining.js';

/** Hashes the hex digits of the public key, not its bytes. */
export async function solve(client) {
  const instance = await client.instance('mine-claim');
  const claim = mine(instance, (publicKey) => sha256(Buffer.from(publicKey.toString('hex'))));
  return client.submit('mine-claim', { type: 'claim', claim });
}
