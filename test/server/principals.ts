/**
 * @module
 * Principals for tests that call stores directly.
 */

import type { Principal } from '../../server/request/principal.ts';
import { SERVER } from '../../server/request/principal.ts';

/** A caller with a token of this name, without limits on its time. */
export function principalOf(caller: string, changed: Partial<Principal> = {}): Principal {
  return { ...SERVER, role: 'student', caller, owner: caller, access: 'own', ...changed };
}
