-- What the owner says models cost here, in USD per million tokens: a JSON list of { model, input, output, … }. NULL: nothing.
ALTER TABLE connections ADD COLUMN prices TEXT;
