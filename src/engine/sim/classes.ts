import type { ClassSpec } from '../../scenario/types.ts';

/** What the driver has to know of a class. */
export interface ClassFacts {
  readonly name: string;
  /** The answer begins when its service ends, not with it. A held answer never is of this kind. */
  readonly comesWhole: boolean;
  readonly holds: boolean;
  /** The client has to hear when its answer begins. */
  readonly minds: boolean;
}

/** The classes of a scenario. Runs of one class are the rule, so the last answer is kept. */
export class Classes {
  private last: ClassFacts | undefined = undefined;
  private readonly byName = new Map<string, ClassFacts>();

  constructor(specs: Readonly<Record<string, ClassSpec>>) {
    for (const [name, spec] of Object.entries(specs)) this.byName.set(name, factsOf(name, spec));
  }

  /** Throws where the schedule has a class that the scenario has not. */
  of(name: string): ClassFacts {
    const { last } = this;
    return last !== undefined && last.name === name ? last : this.lookUp(name);
  }

  private lookUp(name: string): ClassFacts {
    const of = this.byName.get(name);
    if (of === undefined) throw new Error(`expected a known class, got ${name}`);
    this.last = of;
    return of;
  }
}

function factsOf(name: string, { hold, stream, patience }: ClassSpec): ClassFacts {
  const holds = hold !== null;
  return { name, holds, comesWhole: !stream && !holds, minds: holds || patience !== null };
}
