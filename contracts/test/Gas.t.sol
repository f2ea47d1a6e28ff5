// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentBatch} from "../src/PaymentBatch.sol";
import {SettlementSplitter} from "../src/SettlementSplitter.sol";
import {TripRecords} from "../src/escrow/TripRecords.sol";
import {ITokenMessengerV2, SignedBurns} from "../src/bridge/SignedBurns.sol";
import {SignedCalls} from "../src/registries/SignedCalls.sol";
import {SwapPool} from "../src/swap/SwapPool.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {GatewayFixture} from "./support/GatewayFixture.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {SwapFixture} from "./support/SwapFixture.sol";
import {vm} from "./support/Vm.sol";

/// One step each, on what setUp prepared: what forge says of these is what contracts/.gas-snapshot holds.
contract PaymentGas is EscrowFixture {
    bytes32 private tripId;
    bytes32 private otherTrip;
    TripRecords.Terms private terms;
    bytes private signature;
    bytes private claimSignature;
    bytes private splitSignature;
    SettlementSplitter private splitter;
    PaymentBatch private batch;
    PaymentBatch.Item[] private items;
    SettlementSplitter.Terms private shares;

    function setUp() public override {
        super.setUp();
        tripId = fundAlice(1_000_000);
        otherTrip = fund(termsOf(BOB, 1_000_000, "salt"), BOB_KEY);
        reserve(tripId, "reserved", 1_000);
        reserve(tripId, "committed", 1_000);
        commit(tripId, "committed", 800, 100, 10);
        reserve(tripId, "confirmed", 1_000);
        commit(tripId, "confirmed", 800, 100, 10);
        confirm(tripId, "confirmed");
        claimSignature = signClaim(CLAIM_KEY, tripId, GUEST, NOW);
        // A first payment to somebody costs more than every other.
        mintTo(VENDOR, 1);
        mintTo(SERVICE, 1);
        mintTo(ALICE, 1_000_000);
        terms = termsOf(ALICE, 1_000, "new");
        signature = signTerms(ALICE_KEY, terms);
        prepareSplit();
        prepareBatch();
    }

    function test_prefund() public {
        submit(terms, signature);
    }

    function test_claim() public {
        escrow.claim(tripId, GUEST, NOW, claimSignature);
    }

    function test_reserve() public {
        reserve(tripId, "new", 1_000);
    }

    function test_commit() public {
        commit(tripId, "reserved", 800, 100, 10);
    }

    function test_confirm() public {
        confirm(tripId, "committed");
    }

    function test_settle() public {
        settle(tripId, "confirmed");
    }

    function test_cancel() public {
        cancel(tripId, "committed");
    }

    function test_returnToTrip() public {
        returnToTrip(tripId, "committed");
    }

    function test_logAction() public {
        logAction(tripId, "action", 10);
    }

    function test_close() public {
        close(tripId);
    }

    function test_release() public {
        vm.warp(EXPIRES_AT);
        escrow.release(otherTrip);
    }

    function test_releaseBooking() public {
        vm.warp(EXPIRES_AT + GRACE);
        escrow.releaseBooking(tripId, "confirmed");
    }

    function test_splitWithAuthorization() public {
        splitter.splitWithAuthorization(shares, ALICE, 0, type(uint256).max, splitSignature);
    }

    function test_batchOfTen() public {
        batch.settle(address(token), VENDOR, items);
    }

    function prepareSplit() private {
        splitter = new SettlementSplitter();
        shares = SettlementSplitter.Terms(address(token), VENDOR, CAROL, SERVICE, 1_000, 1_000, 100, "id");
        bytes32 nonce = splitter.authorizationNonce(shares, ALICE);
        splitSignature =
            packed(ALICE_KEY, receiveHash(Authorization(ALICE, address(splitter), 1_000, 0, type(uint256).max, nonce)));
    }

    function prepareBatch() private {
        batch = new PaymentBatch();
        for (uint256 index = 0; index < 10; index++) {
            bytes32 nonce = bytes32(index);
            bytes memory signed =
                packed(ALICE_KEY, transferHash(Authorization(ALICE, VENDOR, 10, 0, type(uint256).max, nonce)));
            items.push(PaymentBatch.Item(ALICE, 10, 0, type(uint256).max, nonce, signed));
        }
    }
}

contract RegistryGas is RegistryFixture {
    SignedCalls.Call private signedCall;
    bytes private signature;

    function setUp() public override {
        super.setUp();
        register(ALICE);
        rate(BOB, 1, 4, 0, "starred");
        request(ALICE, BOB, 1, "request");
        signedCall = callOf(BOB, address(identities), abi.encodeWithSignature("register(string)", "uri"), "nonce");
        signature = sign(BOB_KEY, signedCall);
    }

    function test_registerSigned() public {
        send(signedCall, signature);
    }

    function test_giveFeedback() public {
        rate(BOB, 1, 5, 0, "starred");
    }

    function test_validationRequest() public {
        request(ALICE, BOB, 1, "other");
    }

    function test_validationResponse() public {
        respond(BOB, "request", 100, "tag");
    }
}

contract BridgeGas is BridgeFixture {
    bytes private message;
    bytes private attestation;
    bytes private fastMessage;
    bytes private fastAttestation;
    SignedBurns private burns;
    SignedBurns.Terms private terms;
    bytes private signature;

    function setUp() public override {
        super.setUp();
        fundOn(base, ALICE, 1_000e6);
        // A first payment to somebody costs more than every other.
        fundOn(arc, CAROL, 1);
        fundOn(arc, FEES, 1);
        message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("one"));
        attestation = attest(message);
        fastMessage = complete(burnOn(base, arc, ALICE, 100e6, 1e6), fast("two", 1e6, block.number + 10));
        fastAttestation = attest(fastMessage);
        burns = new SignedBurns(ITokenMessengerV2(address(base.messenger)));
        terms = SignedBurns.Terms(address(base.token), 100e6, ARC, padded(CAROL), 0, 0, STANDARD, "id");
        token = base.token;
        bytes32 nonce = burns.authorizationNonce(terms, ALICE);
        signature = packed(ALICE_KEY, receiveHash(authorization(ALICE, address(burns), 100e6, nonce)));
    }

    function test_depositForBurn() public {
        burnOn(base, arc, ALICE, 100e6, 0);
    }

    function test_depositForBurnWithAuthorization() public {
        burns.depositForBurnWithAuthorization(terms, ALICE, NOW - 1, NOW + 1 hours, signature);
    }

    function test_receiveMessage() public {
        arc.transmitter.receiveMessage(message, attestation);
    }

    function test_receiveFastMessage() public {
        arc.transmitter.receiveMessage(fastMessage, fastAttestation);
    }
}

contract GatewayGas is GatewayFixture {
    bytes private attestation;
    bytes private attestationSignature;
    bytes private calldataBytes;
    bytes private burnSignature;
    Authorization private given;
    bytes private depositSignature;

    function setUp() public override {
        super.setUp();
        depositOn(base, ALICE, 1_000e6);
        depositOn(arc, CAROL, 1);
        // A first payment to somebody costs more than every other.
        Spec memory spec = specFor(base, arc, 1e6, "first");
        mintOn(arc, spec);
        burnOn(base, spec, 1e6, 1e6);
        spec = specFor(base, arc, 100e6, "salt");
        attestation = encodeAttestation(FOREVER, spec);
        attestationSignature = signMessage(OPERATOR_KEY, attestation);
        calldataBytes = packBurn(encodeIntent(FOREVER, 1e6, spec), signIntent(ALICE_KEY, FOREVER, 1e6, spec), 1e6);
        burnSignature = signMessage(OPERATOR_KEY, calldataBytes);
        token = base.token;
        mintTo(ALICE, 100e6);
        given = authorization(ALICE, address(base.wallet), 10e6, "nonce");
        depositSignature = packed(ALICE_KEY, receiveHash(given));
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(address(base.token), 1e6);
    }

    function test_depositWithAuthorization() public {
        base.wallet
            .depositWithAuthorization(
                address(base.token),
                given.from,
                given.value,
                given.validAfter,
                given.validBefore,
                given.nonce,
                depositSignature
            );
    }

    function test_gatewayMint() public {
        arc.minter.gatewayMint(attestation, attestationSignature);
    }

    function test_gatewayBurn() public {
        base.wallet.gatewayBurn(calldataBytes, burnSignature);
    }

    function test_initiateWithdrawal() public {
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(address(base.token), 1e6);
    }

    function test_withdraw() public {
        vm.roll(block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.withdraw(address(base.token));
    }
}

contract SwapGas is SwapFixture {
    SwapPool.Quote private quote;
    bytes private quoteSignature;
    bytes private traderSignature;

    function setUp() public override {
        super.setUp();
        fundTrader(token, 100e6);
        give(eurc, RECIPIENT, 1);
        quote = quoteFor(token, 100e6, "id");
        quoteSignature = signQuote(QUOTER_KEY, quote);
        bytes32 nonce = pool.authorizationNonce(quote, orderFor(90e6));
        traderSignature =
            packed(ALICE_KEY, receiveHash(Authorization(ALICE, address(pool), 100e6, 0, NOW + 2 minutes, nonce)));
    }

    function test_swap() public {
        vm.prank(ALICE);
        pool.swap(quote, quoteSignature, orderFor(90e6));
    }

    function test_swapWithAuthorization() public {
        pool.swapWithAuthorization(quote, quoteSignature, orderFor(90e6), traderSignature);
    }
}
