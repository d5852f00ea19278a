import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IANAZone } from 'luxon';
import type { DataTypeCatalogue } from '../data-types/DataType';
import { ContractIdInvalid, ContractNotConsumable, ContractNotFound } from '../problems';
import type { Contract, ContractCatalogue } from './Contract';
import { agreementMembers, changedMembers, grantExpiry, isConsumable } from './contractRules';
import type { ContractUseStore } from './ContractUseStore';
import { parseContract } from './parseContract';

const extension = '.jsonld';
const idPattern = /^[\w.-]+$/u;

/** Parts and settings of {@link ContractFolder}. */
export interface ContractFolderOptions {
  /** `--contracts`: may be absent, which makes a server without contracts. */
  folder: string;
  /** The server's base URL. */
  base: string;
  dataTypes: DataTypeCatalogue;
  /** Contracts that have been used, with their digests. */
  uses: Pick<ContractUseStore, 'list'>;
  /** `--timeZone`: in which the dates of contracts are meant. */
  timeZone: string;
}

/**
 * The contracts in a folder: one JSON-LD document a file, called after the contract's id.
 *
 * A contract that has been used may not change in what was agreed; other contracts may come, go and change.
 */
export class ContractFolder implements ContractCatalogue {
  private contracts = new Map<string, Contract>();

  private constructor(private readonly options: ContractFolderOptions) {}

  /**
   * Reads and checks all contracts.
   *
   * @throws Error naming the setting, or the file and the member that is wrong.
   */
  public static async open(options: ContractFolderOptions): Promise<ContractFolder> {
    if (!IANAZone.isValidZone(options.timeZone)) {
      throw new Error(`--timeZone: ${options.timeZone} is not a time zone`);
    }
    const folder = new ContractFolder(options);
    const [ finding ] = await folder.reload();
    if (finding) {
      throw new Error(finding);
    }
    return folder;
  }

  /**
   * Reads the folder again. A file that is wrong is refused and the contract that was read from it before stays.
   *
   * @returns What was refused, naming file and member: for the log.
   */
  public async reload(): Promise<string[]> {
    let files: string[];
    try {
      files = await this.files();
    } catch (error: unknown) {
      return [ (error as Error).message ];
    }
    const used = await this.options.uses.list();
    const findings: string[] = [];
    const contracts = new Map<string, Contract>();
    for (const file of files) {
      const id = file.slice(0, -extension.length);
      try {
        contracts.set(id, this.unlessChanged(await this.read(id), used.get(id)));
      } catch (error: unknown) {
        findings.push(`${join(this.options.folder, file)}: ${(error as Error).message}`);
        const before = this.contracts.get(id);
        if (before) {
          contracts.set(id, before);
        }
      }
    }
    this.contracts = contracts;
    return findings;
  }

  /** All contracts. */
  public list(): Contract[] {
    return [ ...this.contracts.values() ];
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
    if (!isConsumable(contract, now, this.options.timeZone)) {
      const { startDate = 'its making', endDate = 'further notice' } = contract;
      throw new ContractNotConsumable(`The contract can be consumed from ${startDate} until ${endDate}`);
    }
    return contract;
  }

  public grantExpiry(contract: Contract, now: Date): Date {
    return grantExpiry(contract, now, this.options.timeZone);
  }

  private async files(): Promise<string[]> {
    const { folder } = this.options;
    try {
      const names = await readdir(folder);
      return names.filter((name): boolean => name.endsWith(extension) && !name.startsWith('.')).sort();
    } catch (error: unknown) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return [];
      }
      throw new Error(`--contracts: ${folder} cannot be read as a folder`, { cause: error });
    }
  }

  private async read(id: string): Promise<Contract> {
    if (!idPattern.test(id)) {
      throw new Error('the file name must have the characters A-Z a-z 0-9 . _ - only');
    }
    const text = await readFile(join(this.options.folder, id + extension), 'utf8');
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error: unknown) {
    throw new Error(`the document is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
