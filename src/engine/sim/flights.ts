import type { Flight } from './flight.ts';

/**
 * Everyone on the way, by the id of the attempt: the sequence number for a first try, and numbers
 * after those of the schedule for the tries that follow.
 */
export class Flights {
  private readonly byId: (Flight | undefined)[] = [];

  /** @param nextId of the first try again; none in the schedule is as high */
  constructor(private nextId: number) {}

  /** The attempt of this id; undefined where it has ended, or another has followed it. */
  attempt(id: number): Flight | undefined {
    const flight = this.byId[id];
    return flight !== undefined && flight.id === id ? flight : undefined;
  }

  /** The request of this sequence number, whatever its attempt; undefined where it is settled. */
  request(seq: number): Flight | undefined {
    return this.byId[seq];
  }

  /** It is on its way. */
  launch(flight: Flight): void {
    this.byId[flight.arrival.seq] = flight;
  }

  tryAgain(flight: Flight, attempt: number): void {
    this.forgetTry(flight);
    flight.tryAgain(this.nextId++, attempt);
    this.byId[flight.id] = flight;
  }

  /** It has landed. */
  settle(flight: Flight): void {
    this.forgetTry(flight);
    this.byId[flight.arrival.seq] = undefined;
  }

  /** The entry of a later try goes; that of the first is also the request's, until it is settled. */
  private forgetTry(flight: Flight): void {
    if (flight.id !== flight.arrival.seq) this.byId[flight.id] = undefined;
  }
}
