"""Does `associate` find the messages that answer a question, and what does it cost?"""
