import { assertNotSuspended } from '../../../src/contracts/assertNotSuspended';
import type { Suspension, SuspensionStore } from '../../../src/contracts/SuspensionStore';
import { ContractSuspended, DataUserSuspended } from '../../../src/problems';
import { parseWebId } from '../../../src/platform/webId';
import { now } from '../storage/places';

function suspended(name: string): Pick<SuspensionStore, 'find'> {
  return { find: async(names): Promise<Suspension | undefined> =>
    names.includes(name) ? { name, suspendedAt: now } : undefined };
}

describe('An action under a contract', (): void => {
  it.each([
    [ 'loans', 'https://bank.example/#us', ContractSuspended ],
    [ 'https://bank.example/#us', 'https://bank.example/#us', DataUserSuspended ],
    // Suspended ahead of time: the operator cannot know how the contract will spell it.
    [ 'https://bank.example/#us', 'https://BANK.example:443/#us', DataUserSuspended ],
    [ 'https://BANK.example/#us', 'https://BANK.example/#us', DataUserSuspended ],
  ])('is refused while %s is suspended, for %s.', async(name, forDataUser, problem): Promise<void> => {
    const contract = { id: 'loans', forDataUser: parseWebId(forDataUser) };
    await expect(assertNotSuspended(contract, suspended(name))).rejects.toThrow(problem);
  });

  it('is allowed while another is suspended.', async(): Promise<void> => {
    const contract = { id: 'loans', forDataUser: parseWebId('https://bank.example/#us') };
    await expect(assertNotSuspended(contract, suspended('https://bank.example/#US'))).resolves.toBeUndefined();
  });
});
