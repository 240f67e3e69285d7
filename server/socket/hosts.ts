/**
 * @module
 * The hosts that a request may name. A foreign page can make a browser send requests to 127.0.0.1 by a name
 * that it controls (DNS rebinding). Such a request carries that name, so unknown names are refused.
 * Addresses cannot be rebound, and are accepted if the server listens on all of them.
 */

import { isIP } from 'node:net';

import type { MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';

/** Whether requests for this host name (lower case, without port, IPv6 without brackets) are served. */
export type ServesHost = (hostname: string) => boolean;

/** The hosts served by a server that is bound to `address` (a name or an IP address). */
export function servedHosts(address: string): ServesHost {
  const names = new Set([...LOOPBACK_NAMES, address.toLowerCase()]);
  const anyAddress = WILDCARDS.has(address);
  return (hostname) => names.has(hostname) || (anyAddress && isIP(hostname) !== 0);
}

/** Refuses requests with a foreign, empty or malformed host, in the header or an absolute URL. */
export function hostGuard(serves: ServesHost): MiddlewareHandler {
  /** The last header that was served, and how the URLs of its requests begin. Clients repeat it. */
  let known: { readonly header: string; readonly origins: readonly string[] } | null = null;
  return (c, next) => {
    const header = c.req.header('host');
    const { url } = c.req;
    if (header === known?.header && known?.origins.some((origin) => url.startsWith(origin))) {
      return next();
    }
    const hosts = [new URL(url).hostname, ...(header === undefined ? [] : [header])];
    const foreign = hosts.find((host) => !serves(hostnameOf(host)));
    if (foreign !== undefined) {
      const shown = JSON.stringify(foreign.slice(0, SHOWN_LENGTH_MAX));
      throw new LabError('host', `this server does not answer for host ${shown}`);
    }
    if (header !== undefined) {
      known = { header, origins: [`http://${header}/`, `https://${header}/`] };
    }
    return next();
  };
}

/** The name in a Host header; the empty text, which is never served, when it is malformed. */
function hostnameOf(host: string): string {
  return HOST.exec(host)?.slice(1, 3).join('').toLowerCase() ?? '';
}

/** Host of RFC 9110 section 7.2: an IPv6 address in brackets or a name, then perhaps a port. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{0,5})?$/i;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const SHOWN_LENGTH_MAX = 100;
