"""The course as pages to read without installing anything: ``make site`` writes them into build/site."""
