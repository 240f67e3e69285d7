/**
 * @module
 * What a file of the user imports from 'usurp/operation' to define an operation. It is apart from 'usurp', because
 * submitted files are confined to what protocols need.
 */

export { z } from 'zod';
export type { InputOf, Member, MemberFacts, Members } from '../../operations/member.ts';
export { amount, amounts, choice, choices, SEED, texts, toggle } from '../../operations/member.ts';
export type { OperationContext, OperationFacts } from '../../operations/operation.ts';
export { defineOperation, replayOf } from '../../operations/operation.ts';
export type { Report } from '../../operations/report.ts';
