/**
 * @module
 * Judges an answer by the OpenAPI document. Faults are an undocumented status or media type, a body that
 * does not fit its schema, a fault of the server, and text about its internals.
 */

import { z } from '@hono/zod-openapi';
import type { OpenApiDocuments } from '../../../server/contract/openapi/document.ts';
import type {
  Media,
  OpenApiDocument,
  Operation,
  Schema,
} from '../../../server/contract/openapi/shape.ts';
import { ROOT } from '../../cli/shell.ts';
import type { Target } from './requests.ts';

/** An answer, as far as it was read. */
export interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** False for a stream that was closed early. */
  readonly isWhole: boolean;
}

/** The faults of an answer to an operation; empty if it has none. */
export class Judge {
  readonly #documents: OpenApiDocuments;
  /** Compiled schemas, by operation, status and media type. */
  readonly #schemas = new Map<string, z.ZodType>();

  constructor(documents: OpenApiDocuments) {
    this.#documents = documents;
  }

  faultsOf({ method, path, operation }: Target, given: Given): string[] {
    const { status, headers, text } = given;
    const documented = operation.responses[status];
    if (documented === undefined) return [`undocumented status ${status}: ${text.slice(0, 300)}`];
    const isRetry = status === 503 || status === 429;
    return [
      ...(status >= 500 && !isRetry ? [`failed with ${status}: ${text}`] : []),
      ...(isRetry && !/^[1-9]\d*$/.test(headers.get('Retry-After') ?? '')
        ? ['no Retry-After']
        : []),
      ...(/^[\w=-]{1,64}$/.test(headers.get('X-Request-Id') ?? '') ? [] : ['no X-Request-Id']),
      ...(status >= 400 && revealsInternals(text) ? [`reveals internals: ${text}`] : []),
      ...this.#bodyFaults(`${method} ${path} ${status}`, operation, given),
    ];
  }

  #bodyFaults(where: string, operation: Operation, given: Given): string[] {
    const { status, headers, text } = given;
    const content = operation.responses[status]?.content ?? {};
    const type = (headers.get('Content-Type') ?? '').split(';')[0] ?? '';
    if (Object.keys(content).length === 0) return text === '' ? [] : [`an undocumented body`];
    const media = content[type];
    if (media === undefined) return [`undocumented media type ${type}`];
    if (/^application\/(problem\+)?json$/.test(type)) {
      return this.#unsupportedReasons(`${where} ${type}`, media.schema ?? {}, text);
    }
    const items = this.#itemsOf(where, type);
    if (items === null) return [];
    const unsupportedReasons = (what: string, schema: Schema, texts: readonly string[]) =>
      texts.flatMap((each) => this.#unsupportedReasons(`${where} ${type} ${what}`, schema, each));
    if (type !== 'text/event-stream') return unsupportedReasons('items', items, linesIn(given));
    const events = sentEventsIn(given);
    const data = dataSchemaOf(items);
    return [
      ...unsupportedReasons(
        'items',
        items,
        events.map((event) => JSON.stringify(event)),
      ),
      ...(data === null
        ? []
        : unsupportedReasons(
            'data',
            data,
            events.map((event) => event.data ?? 'null'),
          )),
    ];
  }

  /** The items of a stream of this type, which OpenAPI 3.2 describes. */
  #itemsOf(where: string, type: string): Schema | null {
    const [method = '', path = '', status = ''] = where.split(' ');
    const operation = this.#documents.v32.paths[path]?.[method.toLowerCase()];
    const media: Media | undefined = operation?.responses[status]?.content?.[type];
    return media?.itemSchema ?? null;
  }

  #unsupportedReasons(where: string, schema: Schema, text: string): string[] {
    const known = this.#schemas.get(where) ?? zodOf(schema, this.#documents.v31);
    this.#schemas.set(where, known);
    const parsed = known.safeParse(JSON.parse(text));
    const issues = parsed.error?.issues ?? [];
    return issues.map(
      ({ path, message }) =>
        `its schema refuses ${path.join('.')}: ${message} in ${text.slice(0, 500)}`,
    );
  }
}

/** The complete lines of a stream. */
function linesIn({ text, isWhole }: Given): string[] {
  return text
    .split('\n')
    .slice(0, isWhole ? undefined : -1)
    .filter((line) => line !== '');
}

/** The complete events of a stream: blocks with fields. Other blocks are comments. */
function sentEventsIn({ text, isWhole }: Given): Record<string, string>[] {
  return text
    .split('\n\n')
    .slice(0, isWhole ? undefined : -1)
    .map((block) => [...block.matchAll(FIELD)])
    .map((fields) => Object.fromEntries(fields.map(([, name, value]) => [name, value])))
    .filter((fields) => 'data' in fields);
}

const FIELD = /^(\w+): (.*)$/gm;

/** The schema of the data of server-sent events (JSON Schema 2020-12, section 8). */
function dataSchemaOf({ properties }: Schema): Schema | null {
  // Optional members may be missing.
  const { data } = properties as { readonly data?: { readonly contentSchema?: Schema } };
  return data?.contentSchema ?? null;
}

/** The schema as a zod schema. */
function zodOf(schema: Schema, document: OpenApiDocument): z.ZodType {
  const whole = { ...schema, $defs: document.components.schemas };
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
}

/** Stacks, paths, modules, SQL and texts of Node. */
/** A name of a member may look like the end of a path, but not like a whole path of this program. */
function revealsInternals(text: string): boolean {
  return INSIDES.test(text) || text.includes(ROOT);
}

const INSIDES =
  /node_modules|\bat \S+ \(|\.ts:\d|file:\/\/|(?<![\w#/])\/(?:home|root|tmp|usr)\/|SQLITE_|sqlite|ENOENT|\[object |TypeError|RangeError|is not a function|Cannot read|expected .* got undefined/;
