import type { Validator } from 'stdnum';
import { RefusedSetting } from '../platform/RefusedSetting';
import { didYouMean } from '../platform/nearest';
import { belgianNumbers } from './belgianNumbers';
import type { NationalNumbers } from './NationalNumbers';

/** Options of {@link SelectedNationalNumbers}. */
export interface SelectedNationalNumbersArgs {
  /** `BE`, or comma-separated names of numbers of one country, such as `NL.bsn` or `ES.dni,ES.nie`. */
  nationalNumbers: string;
}

/** Length of the longest number with any separators. */
const maxLength = 64;

/**
 * The national numbers of the configured country. Those of Belgium are checked here, those of other countries by the
 * package `stdnum`, with its names.
 */
export class SelectedNationalNumbers implements NationalNumbers {
  public readonly businessKeyType: string;
  public readonly parse: NationalNumbers['parse'];

  /** @throws Error that names the flag. */
  public constructor(args: SelectedNationalNumbersArgs) {
    const { businessKeyType, parse } = args.nationalNumbers === 'BE' ? belgianNumbers : numbersOf(args.nationalNumbers);
    this.businessKeyType = businessKeyType;
    this.parse = parse;
  }
}

function numbersOf(setting: string): NationalNumbers {
  const names = setting.split(',').map((name): string => name.trim());
  const validators = names.map(findValidator);
  const [ country, other ] = new Set(names.map((name): string => name.split('.')[0]));
  if (other !== undefined) {
    throw new RefusedSetting('--nationalNumbers must be numbers of one country');
  }
  return {
    businessKeyType: `NATIONAL_NUMBER_${country}`,
    parse: (text): string | undefined => parse(text, validators),
  };
}

function findValidator(name: string): Validator {
  const known = readNumbers();
  const found = known.get(name);
  if (!found) {
    const [ country ] = name.toUpperCase().split('.');
    const near = [ ...known.keys() ].filter((one): boolean => one.startsWith(`${country}.`));
    throw new RefusedSetting(`--nationalNumbers must be BE, or numbers of persons such as NL.bsn, not ${name}${
      near.length === 0 ? didYouMean(name, known.keys()) : `; there are ${near.join(', ')}`}`);
  }
  return found;
}

/** Numbers of persons, by country and name. Loading takes a moment, and most servers do not need it. */
function readNumbers(): ReadonlyMap<string, Validator> {
  // Required only when used, so it has no type.
  // eslint-disable-next-line global-require, @typescript-eslint/no-require-imports
  const { personValidators, stdnum } = require('stdnum') as typeof import('stdnum');
  return new Map(Object.entries(stdnum).filter(([ country ]): boolean => country !== 'BE')
    .flatMap(([ country, all ]): [string, Validator][] => Object.entries(all)
      .filter(([ , validator ]): boolean => personValidators[country]?.includes(validator))
      .map(([ name, validator ]): [string, Validator] => [ `${country}.${name}`, validator ])));
}

function parse(text: string, validators: Validator[]): string | undefined {
  if (text.length > maxLength) {
    return;
  }
  const { stackTraceLimit } = Error;
  // The package throws for every invalid number, and the stack takes nine tenths of the time.
  Error.stackTraceLimit = 0;
  try {
    for (const validator of validators) {
      const found = validator.validate(text);
      if (found.isValid && found.isIndividual) {
        return withZeros(found.compact, validator);
      }
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Restores leading zeros, which some numbers may be written without, so that each number has one form. */
function withZeros(number: string, validator: Validator): string {
  const longer = `0${number}`;
  const found = validator.validate(longer);
  return found.isValid && found.compact === longer ? longer : number;
}
