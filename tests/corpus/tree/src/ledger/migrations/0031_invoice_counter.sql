-- QBX-1533: numbers come from a row, no longer from pg_advisory_lock.
-- An advisory lock belongs to a session, and behind PgBouncer in transaction mode a session is not ours to keep.

BEGIN;

CREATE TABLE ledger.invoice_counter (
    year        smallint PRIMARY KEY CHECK (year BETWEEN 2019 AND 2099),
    last_number integer  NOT NULL DEFAULT 0 CHECK (last_number >= 0)
);

INSERT INTO ledger.invoice_counter (year, last_number)
SELECT substring(number FROM 4 FOR 4)::smallint, max(substring(number FROM 9)::integer)
FROM ledger.invoice
GROUP BY 1;

-- One statement, so the row lock lives exactly as long as the transaction that uses the number.
CREATE FUNCTION ledger.next_invoice_number(wanted_year smallint) RETURNS text
LANGUAGE sql AS $$
    INSERT INTO ledger.invoice_counter AS c (year, last_number) VALUES (wanted_year, 1)
    ON CONFLICT (year) DO UPDATE SET last_number = c.last_number + 1
    RETURNING 'NB-' || wanted_year || '-' || lpad(last_number::text, 6, '0');
$$;

-- The net below the rope: E4130 is raised from a violation of this.
ALTER TABLE ledger.invoice ADD CONSTRAINT invoice_number_unique UNIQUE (number);

COMMIT;
