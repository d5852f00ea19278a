import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { IANAZone } from 'luxon';
import type { DataTypeCatalogue } from '../data-types/DataType';
import { Mistakes } from '../platform/Mistakes';
import { NotJson, parseJson } from '../platform/parseJson';
import { readRegularText } from '../platform/readRegularFile';
import { ContractIdInvalid, ContractNotConsumable, ContractNotFound } from '../problems';
import { codeOf, messageOf } from '../platform/errors';
import type { Artefacts } from './Artefacts';
import type { Contract, ContractCatalogue } from './Contract';
import { agreementMembers, changedMembers, consumable, grantExpiry } from './contractRules';
import type { ContractUseStore } from './ContractUseStore';
import { parseContract } from './parseContract';

const extension = '.jsonld';
const idPattern = /^[\w.-]+$/u;

/** Dependencies and settings of {@link ContractFolder}. */
export interface ContractFolderOptions {
  /** `--contracts`; if it is missing, the server has no contracts. */
  folder: string;
  /** The server's base URL. */
  base: string;
  dataTypes: DataTypeCatalogue;
  /** Contracts that have been used, with their digests. */
  uses: Pick<ContractUseStore, 'list'>;
  /** Published purposes, for checking those of this server that contracts name. */
  purposes: Pick<Artefacts, 'find'>;
  /** `--timeZone`: time zone of the dates in contracts. */
  timeZone: string;
}

/**
 * The contracts in a folder: one JSON-LD document per file, named after the contract's id.
 *
 * The agreement in a used contract must not change; other contracts may be added, removed and changed.
 */
export class ContractFolder implements ContractCatalogue {
  private contracts = new Map<string, Contract>();

  private constructor(private readonly options: ContractFolderOptions) {}

  /**
   * Reads and checks all contracts.
   *
   * @param options - The folder, and what the contracts are checked against.
   * @param mistakes - Collects mistakes, naming the setting, or the file and the wrong member.
   */
  public static async open(options: ContractFolderOptions, mistakes: Mistakes): Promise<ContractFolder> {
    if (!IANAZone.isValidZone(options.timeZone)) {
      mistakes.errors.push(`--timeZone: ${options.timeZone} is not a time zone, such as Europe/Brussels`);
    }
    const folder = new ContractFolder(options);
    const found = await folder.reload();
    mistakes.errors.push(...found.errors);
    mistakes.warnings.push(...found.warnings);
    return folder;
  }

  /**
   * Reads the folder again. A file with a mistake is refused, and its earlier contract stays.
   *
   * @returns Refused files and members, and warnings, for the log.
   */
  public async reload(): Promise<Mistakes> {
    const mistakes = new Mistakes();
    const files = await mistakes.during(async(): Promise<string[]> => this.files(mistakes));
    if (!files) {
      return mistakes;
    }
    const used = await this.options.uses.list();
    const contracts = new Map<string, Contract>();
    for (const file of files) {
      const id = file.slice(0, -extension.length);
      try {
        const contract = this.unlessChanged(await this.read(id), used.get(id));
        contracts.set(id, contract);
        mistakes.warnings.push(...this.doubts(file, contract));
      } catch (error: unknown) {
        const path = join(this.options.folder, file);
        mistakes.errors.push(`${error instanceof NotJson ? error.in(path) : path}: ${messageOf(error)}`);
        const before = this.contracts.get(id);
        if (before) {
          contracts.set(id, before);
        }
      }
    }
    this.contracts = contracts;
    return mistakes;
  }

  /** Lists all contracts, by id. */
  public list(): Contract[] {
    return [ ...this.contracts.values() ].sort((one, other): number => one.id < other.id ? -1 : 1);
  }

  public get(id: string): Contract {
    if (!idPattern.test(id)) {
      throw new ContractIdInvalid('A contract id has the characters A-Z a-z 0-9 . _ - only');
    }
    const contract = this.contracts.get(id);
    if (!contract) {
      throw new ContractNotFound();
    }
    return contract;
  }

  public getConsumable(id: string, now: Date): Contract {
    const contract = this.get(id);
    if (consumable([ contract ], now, this.options.timeZone).length === 0) {
      const { startDate = 'its making', endDate = 'further notice' } = contract;
      throw new ContractNotConsumable(`The contract can be consumed from ${startDate} until ${endDate}`);
    }
    return contract;
  }

  public listConsumable(now: Date): Contract[] {
    return consumable(this.list(), now, this.options.timeZone);
  }

  public grantExpiry(contract: Contract, now: Date): Date {
    return grantExpiry(contract, now, this.options.timeZone);
  }

  /** Finds harmless gaps in a contract, for a warning. */
  private doubts(file: string, { forPurpose }: Contract): string[] {
    const { base, folder, purposes } = this.options;
    const prefix = `${base}v1/purposes/`;
    if (!forPurpose.startsWith(prefix)) {
      return [];
    }
    const name = forPurpose.slice(prefix.length);
    const found = purposes.find(`/v1/purposes/${name}`);
    return found ?
        [] :
        [ `${join(folder, file)}: /forPurpose names ${forPurpose}, which --purposes does not describe: write ${
          name}.ttl there` ];
  }

  private async files(mistakes: Mistakes): Promise<string[]> {
    const { folder } = this.options;
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      const names = entries.filter((entry): boolean => !entry.isDirectory()).map(({ name }): string => name)
        .filter((name): boolean => !/^\.|\.(?:md|txt)$/u.test(name)).sort();
      mistakes.warnings.push(...names.filter((name): boolean => !name.endsWith(extension)).map((name): string =>
        `${join(folder, name)}: is ignored: a contract must be in a file {id}${extension}`));
      return names.filter((name): boolean => name.endsWith(extension));
    } catch (error: unknown) {
      if (codeOf(error) === 'ENOENT') {
        return [];
      }
      throw new Error(`--contracts: ${folder} cannot be read as a folder`, { cause: error });
    }
  }

  private async read(id: string): Promise<Contract> {
    if (!idPattern.test(id)) {
      throw new Error(`the file name must be {id}${extension}, an id of the characters A-Z a-z 0-9 . _ -`);
    }
    const text = await readRegularText(join(this.options.folder, id + extension));
    return parseContract(id, parseJson(text), this.options.base, this.options.dataTypes);
  }

  private unlessChanged(contract: Contract, digestOfUse: string | undefined): Contract {
    if (digestOfUse === undefined || digestOfUse === contract.digest) {
      return contract;
    }
    const before = this.contracts.get(contract.id);
    const members = before ? changedMembers(before, contract).join(', ') : `one of ${agreementMembers.join(', ')}`;
    throw new Error(`${members} changed after the contract was used; a new agreement needs a new id`);
  }
}
