import { BasicRepresentation, FormToJsonConverter } from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { readBounded } from '../readBounded';

const maxBytes = 1024 * 1024;

/** Converts forms to JSON, which takes the whole form at once, up to a mebibyte. */
export class BoundedFormConverter extends FormToJsonConverter {
  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { data, metadata } = args.representation;
    const form = await readBounded(data, maxBytes, 'A form');
    return super.handle({ ...args, representation: new BasicRepresentation(form, metadata) });
  }
}
