/**
 * Money: whole nano-dollars. An amount of one event, one estimate or one budget is a number, exact to 2^53 (some nine million dollars); what
 * adds up without an end is a `bigint`, which every store keeps in 64 bits.
 */
export type NanoUsd = number;
