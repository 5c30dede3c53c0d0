/** How many one list of filters may ask in a row. Each has a filter in every chain, which is there for requests that ask nobody, too. */
export const maxAuthsInRow = 2;
