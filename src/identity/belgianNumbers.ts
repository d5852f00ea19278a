import { parseBelgianNumber } from './parseBelgianNumber';
import type { NationalNumbers } from './NationalNumbers';

/** Numbers of the Belgian national register, and BIS numbers of Belgian social security. */
export const belgianNumbers: NationalNumbers = { businessKeyType: 'NATIONAL_NUMBER_BE', parse: parseBelgianNumber };
