/**
 * @module
 * What every control of a value of the form needs.
 */

export interface ControlProps {
  readonly label: string;
  readonly value: unknown;
  /** What it says without a value. */
  readonly otherwise: string;
  readonly isRequired: boolean;
  readonly set: (value: unknown) => void;
  readonly aria: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string;
  };
}
